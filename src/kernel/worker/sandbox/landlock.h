#pragma once

#include <filesystem>
#include <set>

namespace hone::kernel {

/// Where the loader of this system looks for libraries, and what it looks into itself.
[[nodiscard]] std::set<std::filesystem::path> loaderPlaces();

/// From now on, in this thread and those that it starts: only what is below these places can be
/// opened for reading. False where the system cannot do so (Landlock); then all stays as it was.
bool readOnlyBelow(const std::set<std::filesystem::path>& places);

}  // namespace hone::kernel
