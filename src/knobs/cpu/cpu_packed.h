#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Tilings of a matmul of packed tiles: how many tiles a workgroup takes. The tiles themselves are
/// chosen before, with the data's layout.
[[nodiscard]] Result<Listing> cpuPacked(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
