#pragma once

#include <string_view>
#include <vector>

#include "kernel/source/cheats/cheat.h"

namespace hone::kernel {

/// Returns the constructs of a kernel that only cheats need, unordered. `own` is the code of the
/// kernel after preprocessing (Preprocessed::own), so that macros, includes and line splices cannot
/// hide anything. cppRules() lists the rejected names.
[[nodiscard]] std::vector<Cheat> findCppCheats(std::string_view own);

}  // namespace hone::kernel
