#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone::iree {

/// Reads an MLIR file: text or bytecode. Fails with a user error that names the kind of file if it
/// is another binary file.
[[nodiscard]] Result<std::string> readMlirFile(const std::filesystem::path& file);

}  // namespace hone::iree
