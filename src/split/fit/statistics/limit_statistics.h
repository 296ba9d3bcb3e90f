#pragma once

#include <cstdint>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

/// Statistics of one limit over the compared shapes.
struct LimitStatistics {
  std::int64_t limit = 0;
  double geomeanUs = 0, meanUs = 0, medianUs = 0, p95Us = 0, totalUs = 0;
};

struct LimitRanking {
  std::vector<LimitStatistics> limits;  ///< by ascending geometric mean
  /// Number of compared shapes: those with a time for each of these limits, so that totals are
  /// comparable.
  std::int64_t shapes = 0;
  std::vector<std::int64_t> failed;  ///< limits without any time; not in `limits`
};

[[nodiscard]] LimitRanking rankLimits(const SweepResult& sweep);

}  // namespace hone::split
