#include "report/data/run_record.h"

#include <fmt/format.h>

#include <map>
#include <type_traits>

#include "base/text/text.h"

namespace hone::report {

Result<RunRecord> RunRecord::load(const store::Store& store, std::int64_t id) {
  auto run = HONE_TRY(store.run(id));
  if (!run) {
    return userError("no run {} found", id);
  }
  // Samples first: a trial added concurrently then lacks samples, but no sample lacks its trial.
  const auto samples = HONE_TRY(store.samples(id));
  auto trials = HONE_TRY(store.trials(id));
  const bool cpuTime = ranksByCpu(*run);
  return RunRecord{std::move(*run), std::move(trials), TrialTimes(samples, cpuTime)};
}

nlohmann::json RunRecord::summary() const { return nlohmann::json::parse(run.summary); }

std::string RunRecord::clock() const { return ranksByCpu(run) ? "CPU time" : "wall time"; }

std::string RunRecord::outcomes() const {
  std::map<model::Outcome, std::size_t> counts;
  for (const store::Trial& trial : trials) {
    ++counts[trial.outcome];
  }
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, nameOf(outcome)));
  }
  return parts.empty() ? "no trials yet" : join(parts, ", ");
}

std::string makeLabel(const store::Trial& trial) {
  if (!trial.config.name.empty()) {
    return trial.config.name;
  }
  return trial.config.isBaseline() ? "baseline" : trial.key;
}

bool failed(const store::Trial& trial) {
  return trial.outcome != model::Outcome::ok && trial.outcome != model::Outcome::tooSlow;
}

bool isTwin(const store::Trial& trial) { return trial.details.twin; }

DataTable RunRecord::trialTable() const {
  DataTable table;
  table.title = "All trials";
  table.empty = "No trials stored yet.";
  table.folded = true;
  table.columns = {{"trial"},       {"problem"}, {"candidate"},     {"outcome"},
                   {clock(), "ns"}, {"samples"}, {"compile", "ns"}, {"message"}};
  const auto add = [&](std::size_t column, auto value) {
    if constexpr (std::is_arithmetic_v<decltype(value)>) {
      table.columns[column].numbers.push_back(static_cast<double>(value));
    } else {
      table.columns[column].texts.push_back(std::move(value));
    }
  };
  for (const store::Trial& trial : trials) {
    const std::size_t samples = times.last(trial.id).size();
    add(0, table.columns[0].numbers.size() + 1);
    add(1, trial.problem);
    add(2, makeLabel(trial));
    add(3, std::string(nameOf(trial.outcome)));
    add(4, samples > 0 ? times.medianNs(trial.id) : kNone);
    add(5, samples);
    add(6, trial.compileWallNs > 0 ? static_cast<double>(trial.compileWallNs) : kNone);
    add(7, trial.message);
  }
  return table;
}

Plot RunRecord::roundsPlot(const std::string& title, const std::vector<Runner>& runners) const {
  Plot plot;
  plot.title = title;
  plot.note =
      "Each point is one round in a fresh process. Points of the same round were measured side by "
      "side.";
  plot.x = {"round"};
  plot.y = {clock(), "ns"};
  for (const Runner& runner : runners) {
    Series series{.name = runner.name, .draw = Draw::line, .role = runner.role};
    for (const auto& [round, ns] : times.rounds(runner.trial->id, model::Stage::final)) {
      series.x.push_back(static_cast<double>(round + 1));
      series.y.push_back(ns);
    }
    if (!series.x.empty()) {
      plot.series.push_back(std::move(series));
    }
  }
  return plot;
}

}  // namespace hone::report
