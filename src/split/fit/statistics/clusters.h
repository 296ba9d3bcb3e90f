#pragma once

#include <cstdint>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

struct SizeRange {
  std::int64_t least = 0, median = 0, most = 0;
};

/// The shapes of one kind that are fastest with the same limit.
struct ShapeCluster {
  model::ReductionKind kind = model::ReductionKind::matmul;
  std::int64_t limit = 0;
  std::int64_t count = 0;
  SizeRange outputSize, reductionSize;
  double averageSpeedup = 1;  ///< of the worst limit's time / the best one's
};

/// Convolutions first, then by limit, descending. Shapes that have no sum, or whose limits all
/// failed, are in none.
[[nodiscard]] std::vector<ShapeCluster> clusterByLimit(const SweepResult& sweep);

}  // namespace hone::split
