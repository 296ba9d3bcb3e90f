#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Tilings of what has no product in it: loops over elements, and sums and maxima over one tensor.
[[nodiscard]] Result<Listing> cpuElements(const model::RootOperation& root,
                                          const CpuLimits& limits);

/// The compiler's own tiles, made larger and smaller: for operations of which nothing else is
/// known.
[[nodiscard]] Result<Listing> cpuAroundDefault(const model::RootOperation& root,
                                               const CpuLimits& limits);

}  // namespace hone::knobs
