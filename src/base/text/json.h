#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

/// Deepest nesting that jsonFrom accepts. Writing JSON is recursive, so deeper text could overflow
/// the stack.
inline constexpr int kMaxJsonDepth = 100;

/// Parses JSON from outside. Fails with a user error "<where>, line N: …" if the text is not valid
/// JSON, has a number that does not fit, or is nested too deeply.
[[nodiscard]] Result<nlohmann::json> jsonFrom(std::string_view text, std::string_view where);

/// Serializes JSON. Replaces invalid UTF-8 by U+FFFD, where dump() would throw.
[[nodiscard]] std::string jsonText(const nlohmann::json& json, int indent = -1);

}  // namespace hone
