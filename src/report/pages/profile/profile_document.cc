#include "report/pages/profile/profile_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/result/summary/profile_result.h"
#include "report/pages/profile/profile_charts.h"
#include "report/render/answer_text.h"
#include "stats/summary.h"

namespace hone::report {
namespace {

using model::ProfileResult;
using model::ProfileRow;

/// Returns the rows of the summary; for an unfinished run those of its trials so far.
std::vector<ProfileRow> collectRows(const RunRecord& record, const ProfileResult& result) {
  if (result.rows) {
    return *result.rows;
  }
  std::vector<ProfileRow> rows;
  for (const store::Trial& trial : record.trials) {
    if (trial.details.row) {
      rows.push_back(*trial.details.row);
      rows.back().timeNs = record.times.medianNs(trial.id);
    }
  }
  return rows;
}

/// Fastest row of an operation per provider, and the default of IREE.
struct OperationTimes {
  std::map<std::string, const ProfileRow*> best;
  const ProfileRow* compilerDefault = nullptr;
};

std::map<std::string, OperationTimes> groupByOperation(const std::vector<ProfileRow>& rows) {
  std::map<std::string, OperationTimes> operations;
  for (const ProfileRow& row : rows) {
    if (!row.measured()) {
      continue;
    }
    OperationTimes& times = operations[row.operation];
    const ProfileRow*& best = times.best[row.provider];
    best = best == nullptr || row.timeNs < best->timeNs ? &row : best;
    if (row.configuration == model::kDefaultConfiguration) {
      times.compilerDefault = &row;
    }
  }
  return operations;
}

/// Formats the range: "1.20x to 1.40x" in the direction of the mean, or "from 1.20x as slow
/// to 1.10x as fast" if it includes both.
std::string spreadText(const std::vector<double>& ratios) {
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  if (*low < 1 && *high >= 1) {
    return fmt::format("from {} to {}", asFast(*low), asFast(*high));
  }
  return *low >= 1 ? fmt::format("{:.2f}x to {:.2f}x", *low, *high)
                   : fmt::format("{:.2f}x to {:.2f}x", 1 / *high, 1 / *low);
}

/// Compares the best of IREE with other providers over the operations that both have.
void compareProviders(const std::map<std::string, OperationTimes>& operations, Answer& answer) {
  std::map<std::string, std::vector<double>> ratios;
  for (const auto& [name, times] : operations) {
    const auto iree = times.best.find(std::string(model::kIreeProvider));
    if (iree == times.best.end()) {
      continue;
    }
    for (const auto& [provider, row] : times.best) {
      if (provider != model::kIreeProvider) {
        ratios[provider].push_back(row->timeNs / iree->second->timeNs);
      }
    }
  }
  for (const auto& [provider, values] : ratios) {
    answer.lines.push_back(fmt::format(
        "IREE is {} as {} over {}{}.", asFast(stats::geometricMean(values)), provider,
        counted(values.size(), "operation"),
        values.size() == 1 ? "" : fmt::format(" (geometric mean; {})", spreadText(values))));
  }
}

/// Adds the largest speedup over the default among configurations with disjoint intervals.
void nameBestConfiguration(const std::map<std::string, OperationTimes>& operations,
                           Answer& answer) {
  const ProfileRow* best = nullptr;
  double gain = 1;
  for (const auto& [name, times] : operations) {
    const auto iree = times.best.find(std::string(model::kIreeProvider));
    if (times.compilerDefault == nullptr || iree == times.best.end()) {
      continue;
    }
    const ProfileRow& row = *iree->second;
    const bool significant = row.highNs > 0 && row.highNs < times.compilerDefault->lowNs;
    if (significant && times.compilerDefault->timeNs / row.timeNs > gain) {
      gain = times.compilerDefault->timeNs / row.timeNs;
      best = &row;
    }
  }
  if (best != nullptr) {
    answer.lines.push_back(fmt::format(
        "Largest speedup over the compiler's default: {} is {} with {} (95 % confidence "
        "intervals are disjoint).",
        best->operation, asFast(gain), best->tile));
  }
}

void answerProfile(const std::vector<ProfileRow>& rows, Answer& answer) {
  const auto operations = groupByOperation(rows);
  const auto failures = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.failed(); }));
  const auto verified = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const auto& row) { return row.verification == "SUCCESS"; }));
  if (failures > 0) {
    answer.tone = Answer::Tone::bad;
    answer.headline = fmt::format("{} of {} failed.", failures, counted(rows.size(), "dispatch"));
  } else {
    answer.tone = verified > 0 ? Answer::Tone::good : Answer::Tone::plain;
    answer.headline = fmt::format(
        "{} of {} measured; {}.", counted(rows.size(), "dispatch"),
        counted(operations.size(), "operation"),
        verified > 0 ? fmt::format("{} verified, none wrong", verified) : "not verified");
  }
  std::vector<double> shares;
  for (const auto& [name, times] : operations) {
    const auto iree = times.best.find(std::string(model::kIreeProvider));
    if (iree != times.best.end() && iree->second->rooflineShare() > 0) {
      shares.push_back(iree->second->rooflineShare());
    }
  }
  if (shares.size() == 1) {
    answer.lines.push_back(
        fmt::format("IREE's best reaches {:.0f} % of the roofline, the limit of this machine.",
                    100 * shares[0]));
  } else if (!shares.empty()) {
    answer.lines.push_back(fmt::format(
        "IREE's best reaches {:.0f} % of the roofline, the limit of this machine (median; {:.0f} % "
        "to {:.0f} %).",
        100 * stats::median(shares), 100 * *std::min_element(shares.begin(), shares.end()),
        100 * *std::max_element(shares.begin(), shares.end())));
  }
  compareProviders(operations, answer);
  nameBestConfiguration(operations, answer);
}

void addProgram(const model::ProfiledProgram& program, Document& document) {
  Bars bars;
  bars.title = fmt::format("Time breakdown of {}", program.name);
  if (program.wallNs) {
    bars.note = fmt::format("One call takes {}.", timeText(*program.wallNs));
  }
  bars.value = {"time in one call", "ns"};
  Bars::Group group;
  for (const model::TimedDispatch& one : program.dispatches) {
    bars.names.push_back(one.name);
    group.values.push_back(orNone(one.timeNs));
  }
  bars.groups.push_back(std::move(group));
  document.add(bars);
}

void addTable(const std::vector<ProfileRow>& rows, Document& document) {
  DataTable table;
  table.title = "Dispatches";
  table.columns = {
      {"dispatch"},  {"provider"},   {"tile"},    {"verification"}, {"time", "ns"},
      {"low", "ns"}, {"high", "ns"}, {"GFLOP/s"}, {"GB/s"},         {"share of roofline", "%"}};
  const auto orNone = [](double value) { return value > 0 ? value : kNone; };
  for (const ProfileRow& row : rows) {
    table.columns[0].texts.push_back(row.operation);
    table.columns[1].texts.push_back(row.provider);
    table.columns[2].texts.push_back(row.tile);
    table.columns[3].texts.push_back(row.verification);
    table.columns[4].numbers.push_back(orNone(row.timeNs));
    table.columns[5].numbers.push_back(orNone(row.lowNs));
    table.columns[6].numbers.push_back(orNone(row.highNs));
    table.columns[7].numbers.push_back(orNone(row.gflops()));
    table.columns[8].numbers.push_back(orNone(row.gbps()));
    table.columns[9].numbers.push_back(orNone(100 * row.rooflineShare()));
  }
  document.add(table);
}

void addFailures(const std::vector<ProfileRow>& rows, Document& document) {
  DataTable table;
  table.title = "Failures";
  table.empty = "No failures.";
  table.columns = {{"dispatch"}, {"provider"}, {"reason"}};
  for (const ProfileRow& row : rows) {
    if (row.failed() || !row.message.empty()) {
      table.columns[0].texts.push_back(row.dispatch);
      table.columns[1].texts.push_back(row.provider);
      table.columns[2].texts.push_back(row.message.empty() ? row.verification : row.message);
    }
  }
  document.add(table);
}

}  // namespace

Result<void> describeProfile(const RunRecord& record, Document& document) {
  const ProfileResult result = HONE_TRY(model::profileResultFrom(record.summary()));
  const std::vector<ProfileRow> rows = collectRows(record, result);
  answerProfile(rows, document.answer);
  if (result.program) {
    addProgram(*result.program, document);
  }
  addSpeeds(rows, document);
  addRoofline(result.rooflines.value_or(std::vector<model::MeasuredRoofline>()), rows, document);
  addFailures(rows, document);
  addTable(rows, document);
  return {};
}

}  // namespace hone::report
