#pragma once

#include <vector>

#include "kernel/source/cheat.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// Reads the source, comments left out, for what cheats do; in the order of its lines. A first look
/// that gives clear messages: what it does not see meets the sandbox and the comparison of results.
[[nodiscard]] std::vector<Cheat> findCheats(const Source& source);

}  // namespace hone::kernel
