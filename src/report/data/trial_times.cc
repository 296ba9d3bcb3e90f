#include "report/data/trial_times.h"

#include <limits>
#include <map>

#include "stats/summary.h"

namespace hone::report {

bool ranksByCpu(const store::Run& run) {
  return run.device.starts_with("local-sync") || (run.command == "kernel" && run.device == "cpu");
}

TrialTimes::TrialTimes(std::span<const store::TrialSample> samples, bool cpuTime) {
  for (const auto& [trial, sample, node] : samples) {
    byTrial_[trial].push_back({sample.stage, sample.round, cpuTime ? sample.cpuNs : sample.wallNs});
  }
}

std::vector<double> TrialTimes::last(std::int64_t trial) const {
  std::vector<double> ns;
  const auto found = byTrial_.find(trial);
  if (found == byTrial_.end()) {
    return ns;
  }
  for (const Time& time : found->second) {
    if (time.stage == found->second.back().stage) {
      ns.push_back(time.ns);
    }
  }
  return ns;
}

double TrialTimes::medianNs(std::int64_t trial) const {
  const std::vector<double> ns = last(trial);
  return ns.empty() ? 0 : stats::median(ns);
}

double TrialTimes::speedup(std::int64_t baseline, std::int64_t trial) const {
  const auto found = byTrial_.find(trial);
  if (found == byTrial_.end()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const model::Stage stage = found->second.back().stage;
  const auto ratios = stats::pairedSpeedups(rounds(baseline, stage), rounds(trial, stage));
  return ratios.empty() ? std::numeric_limits<double>::quiet_NaN() : stats::median(ratios);
}

std::map<std::int64_t, double> TrialTimes::rounds(std::int64_t trial, model::Stage stage) const {
  std::map<std::int64_t, std::vector<double>> byRound;
  if (const auto found = byTrial_.find(trial); found != byTrial_.end()) {
    for (const Time& time : found->second) {
      if (time.stage == stage) {
        byRound[time.round].push_back(time.ns);
      }
    }
  }
  std::map<std::int64_t, double> medians;
  for (const auto& [round, ns] : byRound) {
    medians[round] = stats::median(ns);
  }
  return medians;
}

}  // namespace hone::report
