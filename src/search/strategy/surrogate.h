#pragma once

#include <cstddef>
#include <vector>

#include "search/space/features.h"
#include "search/space/trials.h"
#include "search/strategy/forest.h"
#include "search/strategy/gaussian_process.h"

namespace hone::search {

/// Training data of a learner. If there are many trials, only the most informative ones are used.
struct TrainingData {
  std::vector<std::span<const float>> rows;
  std::vector<double> targets;

  /// Targets are logarithms of times. Times far above the best are clamped.
  [[nodiscard]] static TrainingData fromTimes(const Trials& trials, const Features& features,
                                              std::size_t limit);
  /// Targets are 1 for failures and 0 for successes.
  [[nodiscard]] static TrainingData fromFailures(const Trials& trials, const Features& features,
                                                 std::size_t limit);
};

/// Predicts the results of untried points from the trials so far.
class Surrogate {
 public:
  explicit Surrogate(const Features& features);

  /// Learns from the trials; at least one must have succeeded.
  void learn(const Trials& trials);
  /// Returns the expected relative improvement on the best, reduced by the probability of failure.
  [[nodiscard]] double expectedGain(std::size_t point) const;
  /// Returns the estimated probability of failure.
  [[nodiscard]] double failureChance(std::size_t point) const;

 private:
  const Features& features_;
  GaussianProcess times_;
  Forest failures_;
  bool anyFailed_ = false;
  double best_ = 0;
  std::size_t nextParameterFit_ =
      0;  ///< number of trials at which the parameters are learned again
};

}  // namespace hone::search
