#pragma once

#include <string_view>
#include <vector>

#include "kernel/source/cheat.h"

namespace hone::kernel {

/// Returns the constructs of a C++ source that only cheats need, unordered.
[[nodiscard]] std::vector<Cheat> findCppCheats(std::string_view text);

}  // namespace hone::kernel
