#pragma once

#include <filesystem>
#include <set>

namespace hone::kernel {

/// Returns the files and folders that the dynamic loader of this system reads.
[[nodiscard]] const std::set<std::filesystem::path>& loaderPlaces();

}  // namespace hone::kernel
