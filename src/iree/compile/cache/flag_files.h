#pragma once

#include <string>

#include "base/hash.h"

namespace hone::iree {

/// Hashes a compiler flag, including the content of the file that it names, if any: editing the
/// file changes the key. Skips files that the compiler writes (--…dump…=FILE).
void addFlag(Hasher& hasher, const std::string& flag);

}  // namespace hone::iree
