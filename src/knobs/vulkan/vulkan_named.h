#pragma once

#include "knobs/named_config.h"

namespace hone::knobs {

/// Returns the known tiles of the SPIR-V backend that fit a product.
[[nodiscard]] Result<std::vector<NamedConfig>> vulkanNamedConfigs(const model::RootOperation& root);

}  // namespace hone::knobs
