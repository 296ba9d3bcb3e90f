#include "app/report/report.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/find_run.h"
#include "base/file.h"
#include "base/text/json.h"
#include "report/pages/run_document.h"
#include "report/render/page.h"
#include "report/render/table.h"
#include "store/export.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> runs;
  std::string output;
  bool csv = false;
};

/// Returns the page's path with another extension.
fs::path withExtension(const fs::path& page, const char* ending) {
  return fs::path(page).replace_extension(ending);
}

Result<void> checkReportOutput(const fs::path& page, bool withCsv, bool withJson) {
  HONE_CHECK(checkParentFolder(page));
  if (fs::is_directory(page)) {
    return userError("{} is a folder; expected a file, e.g. -o {}/report.html", page.string(),
                     page.string());
  }
  if ((withCsv && page.extension() == ".csv") || (withJson && page.extension() == ".json")) {
    return userError("{} would be both the page and its data; use another extension for the page",
                     page.string());
  }
  return {};
}

/// Formats the gains, and the results of the runs without a comparison.
std::string answersText(const report::RunsAnswers& answers) {
  const std::size_t width = report::outputWidth();
  const std::string text =
      answers.gains.empty() ? "" : report::formatGains(answers.gains, width) + "\n";
  report::Table table(
      {{"run", report::Align::right}, {"verb"}, {"result", report::Align::left, 40}});
  bool any = false;
  for (const report::RunsAnswers::RunAnswer& one : answers.runs) {
    if (!one.compared) {
      table.add({std::to_string(one.run), one.command, one.result});
      any = true;
    }
  }
  return any ? text + table.text(width) + "\n" : text;
}

Result<int> reportRuns(const Context& context, const ReportOptions& options) {
  const store::Store store = HONE_TRY(openStore(context));
  std::vector<std::int64_t> ids;
  for (const std::string& name : options.runs) {
    ids.push_back(HONE_TRY(findRun(store, context, name)).id);
  }
  const bool isOne = ids.size() == 1;
  if (!isOne && (options.csv || context.json)) {
    return userError("--csv and --json require a single run");
  }
  const fs::path file = !options.output.empty() ? fs::path(options.output)
                        : isOne                 ? fs::path(fmt::format("report-{}.html", ids[0]))
                                                : fs::path("report.html");
  HONE_CHECK(checkReportOutput(file, options.csv, context.json));
  const report::RunsAnswers answers =
      isOne ? report::RunsAnswers{} : HONE_TRY(report::runsAnswers(store, ids));
  const report::Document document =
      isOne ? HONE_TRY(report::runDocument(store, ids[0])) : report::runsDocument(answers);
  std::vector<fs::path> written = {file};
  HONE_CHECK(writeFile(file, report::page(document)));
  if (options.csv) {
    written.push_back(withExtension(file, ".csv"));
    const std::string csv = HONE_TRY(store::exportCsv(store, ids[0]));
    HONE_CHECK(writeFile(written.back(), csv));
  }
  if (context.json) {
    written.push_back(withExtension(file, ".json"));
    const nlohmann::json json = {{"run", HONE_TRY(store::exportJson(store, ids[0]))},
                                 {"page", document.json()}};
    HONE_CHECK(writeFile(written.back(), jsonText(json, 2) + "\n"));
  }
  if (!isOne) {
    fmt::print("{}", answersText(answers));
  }
  for (const fs::path& one : written) {
    fmt::print("{}\n", one.string());
  }
  return 0;
}

}  // namespace

void addReportCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write an HTML report of one or more runs");
  command->add_option("RUN", options->runs, "Runs: numbers as listed by `hone runs`, or last")
      ->type_name("RUN")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "HTML file to write (default: report-RUN.html; report.html for several runs)")
      ->type_name("FILE");
  command->add_flag("--csv", options->csv, "Also write all samples to a CSV file");
  command->add_flag("--json", context.json,
                    "Also write the run and the data of the page to a JSON file");
  command->footer(
      "The file is self-contained and needs no network.\n"
      "Examples:\n"
      "  hone report last -o report.html\n"
      "  hone report 12 -o report.html --csv --json     also report.csv and report.json\n"
      "  hone report 12 14 15 -o report.html            one tab per run");
  command->callback([&context, options] {
    context.action = [&context, options] { return reportRuns(context, *options); };
  });
}

}  // namespace hone::app
