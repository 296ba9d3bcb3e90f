#pragma once

#include <string_view>

#include "base/error.h"

namespace hone::app {

/// Parses a share from 0 to 1, such as "5%" or "0.05". Fails with a user error that names `option`.
[[nodiscard]] Result<double> shareFrom(std::string_view option, std::string_view text);

}  // namespace hone::app
