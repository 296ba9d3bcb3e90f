#pragma once

#include "knobs/cpu/cpu_limits.h"
#include "knobs/named_config.h"

namespace hone::knobs {

/// Returns the known tiles of the CPU backend that fit a product or an attention.
[[nodiscard]] Result<std::vector<NamedConfig>> cpuNamedConfigs(const model::RootOperation& root,
                                                               const CpuLimits& limits);

}  // namespace hone::knobs
