#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// The kernel files below a folder, by name: .py, .c, .cc, .cpp, without references, results of
/// hone, and what is hidden.
[[nodiscard]] Result<std::vector<std::filesystem::path>> findKernels(
    const std::filesystem::path& folder);

/// Equal for folders whose kernels and references are: what was done with them before holds as long
/// as it stays the same.
[[nodiscard]] Result<std::string> contentsOf(const std::filesystem::path& folder);

/// The file that a user means by "level2/2_10.py": as given, or below the folder, the ending left
/// out or not. One that is not there is a user error that names what is like it.
[[nodiscard]] Result<std::filesystem::path> findKernel(const std::filesystem::path& name,
                                                       const std::filesystem::path& folder);

/// readSource, with the flags that a result of hone has at its head.
[[nodiscard]] Result<Source> readKernel(const std::filesystem::path& file);

}  // namespace hone::kernel
