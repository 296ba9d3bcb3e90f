#include "app/report.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/find_run.h"
#include "base/file.h"
#include "report/page.h"
#include "store/export.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string run;
  std::string output;
  bool csv = false;
};

/// The page's file with another ending.
fs::path beside(const fs::path& page, const char* ending) {
  return fs::path(page).replace_extension(ending);
}

Result<void> checkOutput(const fs::path& page, bool withCsv, bool withJson) {
  const fs::path folder = page.parent_path();
  if (!folder.empty() && !fs::is_directory(folder)) {
    return userError("{} cannot be written: there is no folder {}", page.string(), folder.string());
  }
  if (fs::is_directory(page)) {
    return userError("{} is a folder: say which file, as in -o {}/report.html", page.string(),
                     page.string());
  }
  if ((withCsv && page.extension() == ".csv") || (withJson && page.extension() == ".json")) {
    return userError("{} would be both the page and its data: give the page another ending",
                     page.string());
  }
  return {};
}

Result<int> reportRun(const Context& context, const ReportOptions& options) {
  const store::Store store = HONE_TRY(openStore(context));
  const store::Run run = HONE_TRY(findRun(store, context, options.run));
  const fs::path file = options.output.empty() ? fs::path(fmt::format("report-{}.html", run.id))
                                               : fs::path(options.output);
  HONE_CHECK(checkOutput(file, options.csv, context.json));
  const report::Document document = HONE_TRY(report::runDocument(store, run.id));
  std::vector<fs::path> written = {file};
  HONE_CHECK(writeFile(file, report::page(document)));
  if (options.csv) {
    written.push_back(beside(file, ".csv"));
    HONE_CHECK(writeFile(written.back(), HONE_TRY(store::exportCsv(store, run.id))));
  }
  if (context.json) {
    written.push_back(beside(file, ".json"));
    const nlohmann::json json = {{"run", HONE_TRY(store::exportJson(store, run.id))},
                                 {"page", document.json()}};
    HONE_CHECK(writeFile(written.back(), store::jsonText(json, 2) + "\n"));
  }
  for (const fs::path& one : written) {
    fmt::print("{}\n", one.string());
  }
  return 0;
}

}  // namespace

void addReportVerb(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "A run as one HTML file with plots and tables");
  verb->add_option("RUN", options->run, "Its number, as `hone runs` lists it, or last")
      ->type_name("RUN")
      ->required();
  verb->add_option("-o,--output", options->output,
                   "The file to write; report-RUN.html where it is not given");
  verb->add_flag("--csv", options->csv, "Every sample as CSV beside it");
  verb->add_flag("--json", context.json, "The run and all that the page shows as JSON beside it");
  verb->footer(
      "The file needs no network and nothing beside it: mail it, print it, keep it.\n"
      "Examples:\n"
      "  hone report last -o report.html\n"
      "  hone report 12 -o report.html --csv --json     and report.csv, report.json");
  verb->callback([&context, options] {
    context.action = [&context, options] { return reportRun(context, *options); };
  });
}

}  // namespace hone::app
