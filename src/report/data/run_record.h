#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/data/document.h"
#include "report/data/trial_times.h"
#include "store/store.h"

namespace hone::report {

/// A run with its trials and times, as the pages need it.
struct RunRecord {
  store::Run run;
  std::vector<store::Trial> trials;  ///< in insertion order
  TrialTimes times;

  /// Loads a run; fails with a user error if it does not exist.
  [[nodiscard]] static Result<RunRecord> load(const store::Store& store, std::int64_t id);

  /// Returns the summary, to be parsed by model/result.
  [[nodiscard]] nlohmann::json summary() const;
  [[nodiscard]] bool finished() const { return run.status == store::RunStatus::finished; }
  /// Returns the clock that ranks the run: "CPU time" or "wall time".
  [[nodiscard]] std::string clock() const;
  /// Returns the number of trials per outcome: "190 ok, 10 too_slow".
  [[nodiscard]] std::string outcomes() const;
  /// Returns a table of all trials with their outcomes and times.
  [[nodiscard]] DataTable trialTable() const;
  /// A trial to plot round by round.
  struct Runner {
    const store::Trial* trial = nullptr;
    std::string name;
    Role role = Role::plain;
  };
  /// Plots the times of the final rounds, one line per runner.
  [[nodiscard]] Plot roundsPlot(const std::string& title, const std::vector<Runner>& runners) const;
};

/// Returns the name of the configuration; "baseline" for the compiler's default.
[[nodiscard]] std::string makeLabel(const store::Trial& trial);
/// Returns true if the trial failed (neither `ok` nor `too_slow`).
[[nodiscard]] bool failed(const store::Trial& trial);
/// Returns true if the trial repeats the baseline to measure the noise.
[[nodiscard]] bool isTwin(const store::Trial& trial);

}  // namespace hone::report
