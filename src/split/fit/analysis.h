#pragma once

#include <vector>

#include "split/fit/baseline_comparison.h"
#include "split/fit/clusters.h"
#include "split/fit/limit_statistics.h"
#include "split/fit/recommendation.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// All that a sweep tells.
struct Analysis {
  SweepResult sweep;
  LimitRanking ranking;
  BaselineComparisons comparisons;
  std::vector<ShapeCluster> clusters;
  std::vector<Recommendation> recommendations;  ///< for today's compiler, then in the form `chain`
};

[[nodiscard]] Analysis analyze(SweepResult sweep);

}  // namespace hone::split
