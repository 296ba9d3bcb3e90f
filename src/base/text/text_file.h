#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone {

/// Reads a file that should hold text. Fails with a user error that names the kind of file if it is
/// binary.
[[nodiscard]] Result<std::string> readTextFile(const std::filesystem::path& file);

}  // namespace hone
