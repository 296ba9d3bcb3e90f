#include "app/report/compare.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/find_run.h"
#include "app/common/share.h"
#include "base/file.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "report/data/compare.h"
#include "report/render/compare_output.h"
#include "report/render/page.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

struct CompareCommandOptions {
  std::string before;
  std::string after;
  std::string otherStore;
  std::string margin = "5%";
  std::string html;
  std::size_t limit = 20;
};

Result<int> compare(const Context& context, const CompareCommandOptions& options) {
  const double margin = HONE_TRY(shareFrom("--margin", options.margin));
  HONE_CHECK(checkParentFolder(options.html));
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
  if (comparison.things.empty()) {  // an aborted run must not count as a success
    return userError(
        "run {} ({}) and run {} ({}) have no measurement in common; see `hone runs show`",
        before.id, nameOf(comparison.before.status), after.id, nameOf(comparison.after.status));
  }
  if (!options.html.empty()) {
    HONE_CHECK(writeFile(options.html, report::page(report::compareDocument(comparison))));
  }
  if (context.json) {
    fmt::print("{}\n", jsonText(report::compareJson(comparison), 2));
  } else {
    fmt::print("{}", report::compareText(comparison, report::outputWidth(), options.limit));
    fmt::print("{}", options.html.empty() ? "" : fmt::format("page: {}\n", options.html));
  }
  return comparison.gotWorse() ? 1 : 0;
}

}  // namespace

void addCompareCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<CompareCommandOptions>();
  CLI::App* command = app.add_subcommand("compare", "Compare two runs, measurement by measurement");
  command->add_option("BEFORE", options->before, "Baseline run: a number, or last")
      ->type_name("RUN")
      ->required();
  command->add_option("AFTER", options->after, "Run to compare with it: a number, or last")
      ->type_name("RUN")
      ->required();
  command
      ->add_option("--other-store", options->otherStore, "Store of BEFORE, if it is not in --store")
      ->type_name("FILE");
  command->add_option("--margin", options->margin, "Smaller differences count as equal: 5% or 0.05")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--limit", options->limit,
                   "Maximum number of table rows, the worst first; 0 for all")
      ->capture_default_str();
  command->add_option("-o,--html", options->html, "HTML page to write")->type_name("FILE");
  command->footer(
      "Each measurement is faster, slower, the same or ambiguous. Confidence intervals are wider "
      "than within one run, because the two runs were not interleaved.\n"
      "Differences between the machines, compilers and options of the runs are listed first.\n"
      "Examples:\n"
      "  hone compare 11 12\n"
      "  hone compare 11 last --margin 2% --html compare.html\n"
      "  hone compare 3 last --other-store main.db         in CI: main vs. this branch\n"
      "Exit code 1: a significant slowdown, a new failure, or a measurement missing from an "
      "unfinished AFTER.\n"
      "Exit code 2: an error, or no measurement in common.");
  command->callback([&context, options] {
    context.action = [&context, options] { return compare(context, *options); };
  });
}

}  // namespace hone::app
