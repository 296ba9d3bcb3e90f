#pragma once

#include <vector>

#include "profile/tuning.h"

namespace hone::profile {

/// Tiles for the SPIR-V backend, which has no constraints of its own either. Empty for problems
/// without a list.
[[nodiscard]] std::vector<TuningConfig> vulkanConfigs(const model::Problem& problem);

}  // namespace hone::profile
