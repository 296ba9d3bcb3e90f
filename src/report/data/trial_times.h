#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "store/records.h"

namespace hone::report {

/// Returns true if the run's device is ranked by CPU time; other devices use wall time.
[[nodiscard]] bool ranksByCpu(const store::Run& run);

/// Samples of a run by trial, in the clock that ranks the run.
class TrialTimes {
 public:
  /// `samples` must be ordered as in the store: by stage, then by round.
  TrialTimes(std::span<const store::TrialSample> samples, bool cpuTime);

  /// Returns the times of the last stage the trial reached; empty if it was not timed.
  [[nodiscard]] std::vector<double> last(std::int64_t trial) const;
  /// Returns the median of last(); 0 if empty.
  [[nodiscard]] double medianNs(std::int64_t trial) const;
  /// Returns the median ratio baseline / trial over the rounds of the trial's last stage that have
  /// both; NaN if there is none.
  [[nodiscard]] double speedup(std::int64_t baseline, std::int64_t trial) const;
  /// Returns the rounds of a stage with the median time of each.
  [[nodiscard]] std::map<std::int64_t, double> rounds(std::int64_t trial, model::Stage stage) const;

 private:
  struct Time {
    model::Stage stage;
    std::int64_t round;
    double ns;
  };
  std::unordered_map<std::int64_t, std::vector<Time>> byTrial_;
};

}  // namespace hone::report
