#pragma once

#include <vector>

#include "knobs/gpu/gpu_limits.h"
#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Lists configurations in which each thread computes a tile of the result. All loops must have
/// static sizes.
[[nodiscard]] std::vector<Tiling> tileAndFuseTilings(const model::RootOperation& root,
                                                     const GpuLimits& limits);

/// Lists configurations in which the threads of a workgroup share a reduction. Empty if the root is
/// not a reduction, a matrix-vector product or a dot product, or if a companion cannot be
/// configured.
[[nodiscard]] std::vector<Tiling> vectorDistributeTilings(const model::RootOperation& root,
                                                          const GpuLimits& limits);

}  // namespace hone::knobs
