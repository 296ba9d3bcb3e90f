#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Tilings of matmuls in all their forms (batched, transposed, of vectors, of many loops) and of
/// convolutions.
[[nodiscard]] Result<Listing> cpuProduct(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
