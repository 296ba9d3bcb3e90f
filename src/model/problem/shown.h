#pragma once

#include <string>
#include <string_view>

namespace hone::model {

/// Returns a word of the input for use in a message: shortened and without control characters.
[[nodiscard]] std::string shown(std::string_view word);

}  // namespace hone::model
