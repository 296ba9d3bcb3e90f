#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// Returns the kernel files below a folder (.py, .c, .cc, .cpp, .cxx), sorted by path. Skips
/// references, files written by hone, hidden files and files that start with "__".
[[nodiscard]] Result<std::vector<std::filesystem::path>> findKernels(
    const std::filesystem::path& folder);

/// Returns a hash of all kernels and references below a folder. Earlier results stay valid while it
/// does not change.
[[nodiscard]] Result<std::string> hashKernels(const std::filesystem::path& folder);

/// Finds the kernel file `name`, as given or below the folder, with or without its extension.
/// Returns a user error that suggests a similar name if there is no such file.
[[nodiscard]] Result<std::filesystem::path> findKernel(const std::filesystem::path& name,
                                                       const std::filesystem::path& folder);

/// Reads a source like readSource, and adds the flags in the header of a file written by hone.
[[nodiscard]] Result<Source> readKernel(const std::filesystem::path& file);

}  // namespace hone::kernel
