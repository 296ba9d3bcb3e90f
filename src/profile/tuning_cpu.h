#pragma once

#include <vector>

#include "profile/tuning.h"

namespace hone::profile {

/// Tiles for the CPU backend, which has no constraints of its own: hone's model of what it can do.
/// Empty for problems without a list.
[[nodiscard]] std::vector<TuningConfig> cpuConfigs(const model::Problem& problem);

}  // namespace hone::profile
