#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/problem/element_type.h"

namespace hone::model {

// Helpers shared by the kinds of problems.

/// Largest size of a dimension: the product of two sizes cannot overflow.
constexpr std::int64_t kLargestSize = INT32_MAX;

/// Returns a user error that names `what` unless the value is between `smallest` and kLargestSize.
[[nodiscard]] Result<void> checkSize(std::string_view what, std::int64_t value,
                                     std::int64_t smallest = 1);
/// Returns "f32", or "f16_f16_f32" if the types differ.
[[nodiscard]] std::string typesText(ElementType lhs, ElementType rhs, ElementType result);
/// Parses the type in a problem's JSON.
[[nodiscard]] Result<ElementType> typeFrom(std::string_view name);

}  // namespace hone::model
