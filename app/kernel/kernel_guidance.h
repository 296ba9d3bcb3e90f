#pragma once

#include <optional>
#include <string>

#include "base/error.h"

namespace hone::app {

/// Returns the advice for the language model: the contents of the file `given`, or `given` itself
/// if it is a text. A word that looks like a file name must be an existing file.
[[nodiscard]] Result<std::string> readGuidance(const std::string& given);

/// Returns `guidance` of the section [kernel] in the settings file; nothing if there is none.
/// `settings` is the file of --settings; "": hone.toml in the working directory, if present.
[[nodiscard]] Result<std::optional<std::string>> guidanceInSettings(const std::string& settings);

}  // namespace hone::app
