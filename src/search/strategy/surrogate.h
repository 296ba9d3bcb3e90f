#pragma once

#include <cstddef>
#include <vector>

#include "search/space/features.h"
#include "search/space/trials.h"
#include "search/strategy/forest.h"
#include "search/strategy/gaussian_process.h"

namespace hone::search {

/// Rows and targets for a learner, of the trials that it can learn most from where there are many.
struct Lessons {
  std::vector<std::span<const float>> rows;
  std::vector<double> targets;

  /// Logarithms of times; times far from the best count as equally bad.
  [[nodiscard]] static Lessons ofTimes(const Trials& trials, const Features& features,
                                       std::size_t most);
  /// 1 for what failed, 0 for what did not.
  [[nodiscard]] static Lessons ofFailures(const Trials& trials, const Features& features,
                                          std::size_t most);
};

/// What points that were not tried can be expected to give, from those that were.
class Surrogate {
 public:
  explicit Surrogate(const Features& features);

  /// Needs a trial that did not fail.
  void learn(const Trials& trials);
  /// The expected improvement on the best, as a share, made less by the chance that it fails.
  [[nodiscard]] double gainOf(std::size_t point) const;
  /// From 1 for a point that will fail as all like it did, down to 0.
  [[nodiscard]] double failureChance(std::size_t point) const;

 private:
  const Features& features_;
  GaussianProcess times_;
  Forest failures_;
  bool anyFailed_ = false;
  double best_ = 0;
  std::size_t nextLearning_ = 0;  ///< at so many trials the parameters are looked at again
};

}  // namespace hone::search
