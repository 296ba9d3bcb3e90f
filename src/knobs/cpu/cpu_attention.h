#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Tilings of an online attention: queries for a workgroup, and queries and keys at a time.
[[nodiscard]] Result<Listing> cpuAttention(const model::RootOperation& root,
                                           const CpuLimits& limits);

}  // namespace hone::knobs
