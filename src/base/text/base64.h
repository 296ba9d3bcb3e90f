#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// RFC 4648, with the padding.
[[nodiscard]] std::string toBase64(std::string_view bytes);
/// Nothing for what toBase64 does not write.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

}  // namespace hone
