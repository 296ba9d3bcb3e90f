#pragma once

#include <string_view>
#include <vector>

#include "kernel/source/cheats/cheat.h"

namespace hone::kernel {

/// Returns the constructs of a Python source that only cheats need, unordered.
[[nodiscard]] std::vector<Cheat> findPythonCheats(std::string_view text);

}  // namespace hone::kernel
