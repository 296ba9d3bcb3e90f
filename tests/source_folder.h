#pragma once

#include <filesystem>

namespace hone {

/// Returns the folder of the project's sources. A macro with its path would keep ccache from
/// finding the objects of other clones.
[[nodiscard]] const std::filesystem::path& sourceFolder();

}  // namespace hone
