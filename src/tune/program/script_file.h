#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone::tune {

/// Writes the text to a file in the cache. The name is derived from the contents, so that
/// compilation results that depend on it can be cached.
[[nodiscard]] Result<std::filesystem::path> cacheScript(const std::string& text);

}  // namespace hone::tune
