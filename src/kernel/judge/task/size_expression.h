#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace hone::kernel {

using Sizes = std::span<const std::pair<std::string, std::int64_t>>;

/// Evaluates an expression such as "2*M*(N-2)" with + - * / ( ), names and numbers. Fails with a
/// user error that quotes the expression.
[[nodiscard]] Result<double> evaluateSize(std::string_view expression, Sizes sizes);

}  // namespace hone::kernel
