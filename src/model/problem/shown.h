#pragma once

#include <string>
#include <string_view>

namespace hone::model {

/// A word of the input for a message: short and without control characters.
[[nodiscard]] std::string shown(std::string_view word);

}  // namespace hone::model
