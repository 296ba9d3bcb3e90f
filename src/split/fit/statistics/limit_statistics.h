#pragma once

#include <cstdint>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

/// The times of all compared shapes under one limit.
struct LimitStatistics {
  std::int64_t limit = 0;
  double geomeanUs = 0, meanUs = 0, medianUs = 0, p95Us = 0, totalUs = 0;
};

struct LimitRanking {
  std::vector<LimitStatistics> limits;  ///< the lowest geometric mean first
  /// Only shapes that have a time under each of these limits, so that totals can be compared.
  std::int64_t shapes = 0;
  std::vector<std::int64_t> failed;  ///< limits without a time for any shape; not among the above
};

[[nodiscard]] LimitRanking rankLimits(const SweepResult& sweep);

}  // namespace hone::split
