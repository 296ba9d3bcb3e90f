#include "app/profile/profile_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/json.h"
#include "profile/profile_unit.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

/// IREE's dispatch profiler prints the rule between blocks once more at the end.
constexpr std::string_view kEnd =
    "----------------------------------------------------------------\n";

Result<void> writeCsv(const ProfileOutput& output, const std::vector<model::ProfileRow>& rows) {
  const bool add = output.append && std::filesystem::exists(output.csv);
  const std::string before = add ? HONE_TRY(readFile(output.csv)) : "";
  auto text = report::appendedCsv(before, rows, output.columns);
  if (!text) {
    return within(output.csv, text.error());
  }
  return writeFile(output.csv, *text);
}

}  // namespace

void ProfileOutput::addTo(CLI::App& command) {
  auto* file = command.add_option("-o,--output", csv, "CSV file to write")->type_name("FILE");
  command.add_flag("--append", append, "Append to the CSV file instead of replacing it")
      ->needs(file);
  command.add_option("--tags", tags, "Extra leading CSV columns: NAME:VALUE,NAME:VALUE")
      ->needs(file);
  command.add_option("--junit", junit, "JUnit XML file to write, with one test case per dispatch")
      ->type_name("FILE");
  command.add_option("--sort", sort, "Sort rows by operation and speed, or by speed only")
      ->check(CLI::IsMember({"operation", "speed"}))
      ->capture_default_str();
}

Result<void> ProfileOutput::check() {
  columns = HONE_TRY(report::tagsFrom(tags));
  if (append && std::filesystem::exists(csv)) {
    if (const auto fits = report::appendedCsv(HONE_TRY(readFile(csv)), {}, columns); !fits) {
      return within(csv, fits.error());
    }
  }
  for (const std::string& file : {csv, junit}) {
    HONE_CHECK(checkParentFolder(file));
  }
  return {};
}

void ProfileOutput::printRow(const Context& context, const model::ProfileRow& row) const {
  if (!context.json && sort == "operation") {
    fmt::print("{}", report::profileBlock(row));
    std::fflush(stdout);
  }
}

Result<int> ProfileOutput::finish(const Context& context, std::int64_t run,
                                  std::vector<model::ProfileRow> rows,
                                  const std::optional<model::ProfiledProgram>& program) const {
  if (sort == "speed") {
    profile::sortBySpeed(rows);
    for (const model::ProfileRow& row : rows) {
      if (!context.json) {
        fmt::print("{}", report::profileBlock(row));
      }
    }
  }
  const bool failed =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.failed(); });
  if (context.json) {
    nlohmann::json json = toJson(model::ProfileResult{
        .rows = rows, .rooflines = std::nullopt, .ownCpuNs = std::nullopt, .program = program});
    json["run"] = run;
    fmt::print("{}\n", jsonText(json, 2));
  } else {
    fmt::print("{}\n{}", kEnd, report::profileTable(rows, report::outputWidth()));
  }
  if (!csv.empty()) {
    if (!context.json) {
      fmt::print("\nWriting performance report to {}\n", csv);
    }
    HONE_CHECK(writeCsv(*this, rows));
  }
  if (!junit.empty()) {
    HONE_CHECK(writeFile(junit, report::profileJunit(rows)));
  }
  if (!context.json) {
    fmt::print("\nrun {}; next: hone report {} -o report.html\n", run, run);
  }
  return failed ? 1 : 0;
}

int ProfileOutput::printNone(const Context& context,
                             const std::optional<model::ProfiledProgram>& program) {
  if (context.json) {
    nlohmann::json json = {{"rows", nlohmann::json::array()}, {"program", nullptr}};
    if (program) {
      json["program"] = toJson(*program);
    }
    fmt::print("{}\n", jsonText(json, 2));
  } else {
    fmt::print("no operation found that can be profiled alone (matmul or convolution)\n");
  }
  return 0;
}

}  // namespace hone::app
