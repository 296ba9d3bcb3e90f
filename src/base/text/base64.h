#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// Encodes as RFC 4648, with padding.
[[nodiscard]] std::string toBase64(std::string_view bytes);
/// Decodes `text`; returns nullopt unless it is exactly what toBase64 produces.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

}  // namespace hone
