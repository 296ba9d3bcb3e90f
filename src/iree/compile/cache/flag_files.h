#pragma once

#include <string>

#include "base/hash.h"

namespace hone::iree {

/// Feeds a compiler flag to a key, with the contents of the file that it names, if there is one: an
/// edited file makes another key. Files that the compiler writes (--…dump…=FILE) do not count.
void addFlag(Hasher& hasher, const std::string& flag);

}  // namespace hone::iree
