#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "iree/spec/upgrade/config_upgrade.h"

namespace hone::iree {

/// Reorders the values per loop of a configuration: loop `i` becomes loop `mapping[i]`. Fails if a
/// list has another length than the mapping.
[[nodiscard]] ConfigUpgrade reorderLoops(std::string_view text,
                                         const std::vector<std::int64_t>& mapping);

}  // namespace hone::iree
