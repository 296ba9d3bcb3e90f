#pragma once

#include <vector>

#include "kernel/source/cheat.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// Scans a source, without its comments, for constructs that only cheats need; in line order. Gives
/// clear messages early: cheats that it misses meet the sandbox and the output comparison.
[[nodiscard]] std::vector<Cheat> findCheats(const Source& source);

}  // namespace hone::kernel
