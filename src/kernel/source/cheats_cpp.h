#pragma once

#include <string_view>
#include <vector>

#include "kernel/source/cheat.h"

namespace hone::kernel {

/// Returns what the C++ source has that only cheats need, in no particular order.
[[nodiscard]] std::vector<Cheat> findCppCheats(std::string_view text);

}  // namespace hone::kernel
