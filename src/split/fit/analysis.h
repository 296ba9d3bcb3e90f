#pragma once

#include <vector>

#include "split/fit/recommendation.h"
#include "split/fit/statistics/baseline_comparison.h"
#include "split/fit/statistics/clusters.h"
#include "split/fit/statistics/limit_statistics.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// Results derived from a sweep.
struct Analysis {
  SweepResult sweep;
  LimitRanking ranking;
  BaselineComparisons comparisons;
  std::vector<ShapeCluster> clusters;
  std::vector<Recommendation>
      recommendations;  ///< for the current compiler, then for the form `chain`
};

[[nodiscard]] Analysis analyze(SweepResult sweep);

}  // namespace hone::split
