#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone::tune {

/// The text as a file of the cache that flags can name. Its name stands for its contents, so that
/// what was compiled with it is found again.
[[nodiscard]] Result<std::filesystem::path> keepScript(const std::string& text);

}  // namespace hone::tune
