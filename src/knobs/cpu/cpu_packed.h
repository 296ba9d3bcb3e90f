#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Lists tilings of a matmul on packed tiles: the number of tiles per workgroup. The tiles
/// themselves are fixed earlier, with the data layout.
[[nodiscard]] Result<Listing> cpuPacked(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
