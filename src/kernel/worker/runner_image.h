#pragma once

#include <filesystem>

#include "base/error.h"

namespace hone::kernel {

/// Writes the runner program that hone contains to `folder`, unless it is already there. Returns
/// its path.
[[nodiscard]] Result<std::filesystem::path> installRunner(const std::filesystem::path& folder);

}  // namespace hone::kernel
