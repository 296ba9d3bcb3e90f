#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace hone::kernel {

using Sizes = std::span<const std::pair<std::string, std::int64_t>>;

/// The value of "2*M*(N-2)" for the sizes given: + - * / ( ), names and numbers. What is wrong is a
/// user error that names the place.
[[nodiscard]] Result<double> valueOf(std::string_view expression, Sizes sizes);

}  // namespace hone::kernel
