#pragma once

#include <string_view>

#include "base/error.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Parses the function `kernel` of a file. Returns a user error with the line number of the first
/// statement outside the subset; such a kernel can only get other flags.
[[nodiscard]] Result<Function> parse(std::string_view text);

}  // namespace hone::kernel::nest
