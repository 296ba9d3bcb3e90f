#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

struct SizeRange {
  std::int64_t least = 0, median = 0, most = 0;
};

/// The shapes of one kind whose fastest limit is the same.
struct ShapeCluster {
  model::ReductionKind kind = model::ReductionKind::matmul;
  std::int64_t limit = 0;
  std::int64_t count = 0;
  SizeRange outputSize, reductionSize;
  /// Baseline's time / best limit's time, over the shapes with a baseline; nullopt if none has one.
  std::optional<double> averageOverBaseline;
  double averageSpeedup = 1;  ///< worst limit's time / best limit's time
};

/// Groups shapes by their fastest limit: convolutions first, then by descending limit. Shapes
/// without a reduction or without any measured limit are omitted.
[[nodiscard]] std::vector<ShapeCluster> clusterByLimit(const SweepResult& sweep);

}  // namespace hone::split
