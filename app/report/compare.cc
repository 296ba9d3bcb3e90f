#include "app/report/compare.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/find_run.h"
#include "base/file.h"
#include "base/text/text.h"
#include "report/data/compare.h"
#include "report/render/compare_output.h"
#include "report/render/page.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

struct CompareVerbOptions {
  std::string before;
  std::string after;
  std::string otherStore;
  std::string margin = "5%";
  std::string html;
  std::size_t limit = 20;
};

/// "5%" and "0.05".
Result<double> shareFrom(std::string_view option, std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parseDouble(trim(text.substr(0, text.size() - (percent ? 1 : 0))));
  const double share = number.value_or(-1) / (percent ? 100 : 1);
  if (!number || share < 0 || share > 1) {
    return userError("{}: '{}' is not a share from 0 to 1; write 5% or 0.05", option, text);
  }
  return share;
}

Result<int> compare(const Context& context, const CompareVerbOptions& options) {
  const double margin = HONE_TRY(shareFrom("--margin", options.margin));
  HONE_CHECK(checkFolderOf(options.html));
  Context other = context;
  if (!options.otherStore.empty()) {
    other.store = options.otherStore;
  }
  const store::Store beforeStore = HONE_TRY(openStore(other));
  const store::Store afterStore = HONE_TRY(openStore(context));
  const auto before = HONE_TRY(findRun(beforeStore, other, options.before));
  const auto after = HONE_TRY(findRun(afterStore, context, options.after));
  const report::RunComparison comparison = HONE_TRY(
      report::compareRuns({beforeStore, before.id}, {afterStore, after.id}, {.margin = margin}));
  if (comparison.things.empty()) {  // a run that broke off at once must not look like a good one
    return userError(
        "run {} ({}) and run {} ({}) measured nothing in common; `hone runs show` lists what each "
        "has",
        before.id, nameOf(comparison.before.status), after.id, nameOf(comparison.after.status));
  }
  if (!options.html.empty()) {
    HONE_CHECK(writeFile(options.html, report::page(report::compareDocument(comparison))));
  }
  if (context.json) {
    fmt::print("{}\n", store::jsonText(report::compareJson(comparison), 2));
  } else {
    fmt::print("{}", report::compareText(comparison, report::outputWidth(), options.limit));
    fmt::print("{}", options.html.empty() ? "" : fmt::format("page: {}\n", options.html));
  }
  return comparison.gotWorse() ? 1 : 0;
}

}  // namespace

void addCompareVerb(CLI::App& app, Context& context) {
  auto options = std::make_shared<CompareVerbOptions>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Two runs side by side: what is faster, slower, the same, unsure");
  verb->add_option("BEFORE", options->before, "A run: its number, or last")
      ->type_name("RUN")
      ->required();
  verb->add_option("AFTER", options->after, "Another run of the same command")
      ->type_name("RUN")
      ->required();
  verb->add_option("--other-store", options->otherStore,
                   "The store that BEFORE is in, of another machine for one")
      ->type_name("FILE");
  verb->add_option("--margin", options->margin, "Smaller differences do not count: 5%, 0.05")
      ->type_name("SHARE")
      ->capture_default_str();
  verb->add_option("--limit", options->limit, "Lines of the table, the worst first; 0 is all")
      ->capture_default_str();
  verb->add_option("--html", options->html, "Write a page with it all to this file")
      ->type_name("FILE");
  verb->add_flag("--json", context.json, "All of it as JSON");
  verb->footer(
      "What the two measured apart is compared with wider intervals than what one run measures\n"
      "side by side; what differs between the runs themselves is said at the top.\n"
      "Examples:\n"
      "  hone compare 11 12\n"
      "  hone compare 11 last --margin 2% --html compare.html\n"
      "  hone compare 3 last --other-store main.db         in CI: main against this branch\n"
      "Exit code 1: something got slower for sure, does not work any more, or is missing from\n"
      "an AFTER that did not finish.\n"
      "Exit code 2, as for all errors, also: the runs measured nothing in common.");
  verb->callback([&context, options] {
    context.action = [&context, options] { return compare(context, *options); };
  });
}

}  // namespace hone::app
