#pragma once

#include <filesystem>
#include <set>

namespace hone::kernel {

/// Returns the files and folders that the dynamic loader of this system reads.
[[nodiscard]] std::set<std::filesystem::path> loaderPlaces();

/// Restricts this thread, and threads that it starts, to reading below `places` (Landlock). Returns
/// false, without any effect, if the system does not support it.
bool readOnlyBelow(const std::set<std::filesystem::path>& places);

}  // namespace hone::kernel
