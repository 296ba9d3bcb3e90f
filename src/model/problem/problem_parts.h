#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/problem/element_type.h"

namespace hone::model {

// What the kinds of problems share.

/// No product of two sizes overflows below it.
constexpr std::int64_t kLargestSize = INT32_MAX;

/// Between `smallest` and the largest size, or a user error that names it.
[[nodiscard]] Result<void> checkSize(std::string_view what, std::int64_t value,
                                     std::int64_t smallest = 1);
/// "f32", or "f16_f16_f32" where they differ.
[[nodiscard]] std::string typesText(ElementType lhs, ElementType rhs, ElementType result);
/// The type that a problem's JSON names.
[[nodiscard]] Result<ElementType> typeFrom(std::string_view name);

}  // namespace hone::model
