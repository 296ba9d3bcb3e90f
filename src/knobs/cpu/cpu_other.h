#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Lists tilings of operations without a product: elementwise loops, and reductions of one tensor.
[[nodiscard]] Result<Listing> cpuElements(const model::RootOperation& root,
                                          const CpuLimits& limits);

/// Lists larger and smaller variants of the compiler's default tiles, for operations without a
/// model.
[[nodiscard]] Result<Listing> cpuAroundDefault(const model::RootOperation& root,
                                               const CpuLimits& limits);

}  // namespace hone::knobs
