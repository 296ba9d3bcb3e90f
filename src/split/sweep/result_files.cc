#include "split/sweep/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text/csv.h"
#include "split/fit/simulate.h"
#include "split/sweep/result_columns.h"

namespace hone::split {
namespace {

using TimingFinder = std::function<std::optional<Timing>(const ShapeResult&)>;

std::string formatCell(const std::optional<Timing>& timing, const TimeColumn& column) {
  // Files of other tools may have the mean only. A standard deviation may be 0.
  const bool hasSpread = timing && timing->minUs > 0 && timing->maxUs > 0 && timing->medianUs > 0;
  const bool known =
      timing && (column.member == &Timing::stddevUs ? hasSpread : *timing.*column.member > 0);
  return known ? fmt::format("{}", *timing.*column.member) : std::string(kNoTime);
}

std::string formatCsv(const SweepResult& sweep, const TimingFinder& findTiming) {
  CsvWriter csv;
  std::vector<std::string> cells = {std::string(kArgumentsColumn)};
  for (const TimeColumn& column : kTimeColumns) {
    cells.emplace_back(column.name);
  }
  csv.row(cells);
  for (const ShapeResult& shape : sweep.shapes) {
    cells = {shape.arguments};
    const std::optional<Timing> timing = findTiming(shape);
    for (const TimeColumn& column : kTimeColumns) {
      cells.push_back(formatCell(timing, column));
    }
    csv.row(cells);
  }
  return csv.text();
}

TimingFinder underLimit(std::int64_t limit) {
  return [limit](const ShapeResult& shape) {
    const auto at = shape.limits.find(limit);
    return at == shape.limits.end() ? std::nullopt : std::optional(at->second);
  };
}

/// Returns the tables by the word used in their file names.
std::map<std::string, TimingFinder> listTables(const SweepResult& sweep) {
  std::map<std::string, TimingFinder> tables;
  for (const std::int64_t limit : sweep.limits) {
    tables.emplace(std::to_string(limit), underLimit(limit));
  }
  const TimingFinder baseline = [](const ShapeResult& shape) { return shape.baseline; };
  const TimingFinder noSplit = [](const ShapeResult& shape) { return shape.noSplit; };
  if (std::any_of(sweep.shapes.begin(), sweep.shapes.end(), baseline)) {
    tables.emplace(kBaselineTable, baseline);
  }
  if (std::any_of(sweep.shapes.begin(), sweep.shapes.end(), noSplit)) {
    tables.emplace(kNoSplitTable, noSplit);
  }
  return tables;
}

nlohmann::json summaryJson(const std::vector<std::int64_t>& limits, const ShapeResult& shape,
                           const LimitTime& best, const LimitTime& worst) {
  const auto orNull = [](const std::optional<Timing>& timing) {
    return timing ? nlohmann::json(timing->timeUs()) : nlohmann::json();
  };
  nlohmann::json runtimes = {{"baseline", orNull(shape.baseline)}};
  for (const std::int64_t limit : limits) {
    runtimes[std::to_string(limit)] = orNull(underLimit(limit)(shape));
  }
  return {{"csv_data", {{"arguments", shape.arguments}, {"runtimes", runtimes}}},
          {"best_limit", best.limit},
          {"best_runtime", best.timeUs},
          {"worst_runtime", worst.timeUs},
          {"speedup_vs_worst", worst.timeUs / best.timeUs},
          {"all_runtimes", runtimes}};
}

/// Returns the content of limitParallelLoops_sweep_results.json, without shapes whose limits all
/// failed. Times that were not measured are null.
nlohmann::json sweepSummary(const SweepResult& sweep) {
  nlohmann::json analyses = nlohmann::json::object();
  for (const ShapeResult& shape : sweep.shapes) {
    const auto best = fastestLimit(shape);
    const auto worst = slowestLimit(shape);
    if (best && worst) {
      analyses[shape.arguments] = summaryJson(sweep.limits, shape, *best, *worst);
    }
  }
  return {{"candidate_limits", sweep.limits}, {"analyses", std::move(analyses)}};
}

}  // namespace

std::string tableFile(std::string_view word, std::string_view stem) {
  return fmt::format("limit_{}_{}.csv", word, stem);
}

std::filesystem::path findResultsFolder(std::string_view stem) {
  constexpr std::string_view kConvSuffix = "_conv";
  const auto named = [](std::string_view name) {
    return std::filesystem::path(fmt::format("{}_results", name));
  };
  if (!stem.ends_with(kConvSuffix) || stem.size() == kConvSuffix.size()) {
    return named(stem);
  }
  const auto shortName = named(stem.substr(0, stem.size() - kConvSuffix.size()));
  std::error_code ignored;
  const bool hasOnlyLong = !std::filesystem::is_directory(shortName, ignored) &&
                           std::filesystem::is_directory(named(stem), ignored);
  return hasOnlyLong ? named(stem) : shortName;
}

Result<void> writeResults(const std::filesystem::path& folder, std::string_view stem,
                          const SweepResult& sweep) {
  HONE_CHECK(makeFolder(folder));
  const auto tables = listTables(sweep);
  for (const auto& [name, findTiming] : tables) {
    HONE_CHECK(writeFile(folder / tableFile(name, stem), formatCsv(sweep, findTiming)));
  }
  return writeSummary(folder, sweep);
}

Result<void> writeSummary(const std::filesystem::path& folder, const SweepResult& sweep) {
  using Handler = nlohmann::json::error_handler_t;
  return writeFile(folder / kSummaryFile,
                   sweepSummary(sweep).dump(2, ' ', false, Handler::replace) + "\n");
}

}  // namespace hone::split
