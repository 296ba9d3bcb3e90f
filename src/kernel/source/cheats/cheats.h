#pragma once

#include <string_view>
#include <vector>

#include "kernel/source/cheats/cheat.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// Scans the code of a kernel for constructs that only cheats need; in line order. C++ code must be
/// preprocessed (Preprocessed::own). Gives clear messages early: cheats that it misses are stopped
/// by the symbol table, the sandbox or the comparison of outputs.
[[nodiscard]] std::vector<Cheat> findCheats(Language language, std::string_view code);

}  // namespace hone::kernel
