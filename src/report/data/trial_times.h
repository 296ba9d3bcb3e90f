#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/records.h"

namespace hone::report {

/// Whether what ran on the run's device is ranked by CPU time; all else is by wall time.
[[nodiscard]] bool ranksByCpu(const store::Run& run);

/// The samples of a run by their trials, in the clock that counts.
class TrialTimes {
 public:
  /// In the order that the store gives them: by stage, then by round.
  TrialTimes(std::span<const store::TrialSample> samples, bool cpuTime);

  /// Of the last stage that the trial reached; none where it was not timed.
  [[nodiscard]] std::vector<double> last(std::int64_t trial) const;
  /// The median of these; 0 where there are none.
  [[nodiscard]] double medianNs(std::int64_t trial) const;
  /// The rounds of a stage with the median of each.
  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> rounds(std::int64_t trial,
                                                                    model::Stage stage) const;

 private:
  struct Time {
    model::Stage stage;
    std::int64_t round;
    double ns;
  };
  std::unordered_map<std::int64_t, std::vector<Time>> byTrial_;
};

}  // namespace hone::report
