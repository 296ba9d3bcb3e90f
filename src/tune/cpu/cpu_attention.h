#pragma once

#include "tune/cpu/cpu_config.h"
#include "tune/cpu/cpu_limits.h"

namespace hone::tune {

/// Tilings of an online attention: queries for a workgroup, and queries and keys at a time.
[[nodiscard]] Result<Listing> cpuAttention(const model::RootOperation& root,
                                           const CpuLimits& limits);

}  // namespace hone::tune
