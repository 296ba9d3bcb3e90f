#include "model/problem/operation/problem_parts.h"

namespace hone::model {

Result<void> checkSize(std::string_view what, std::int64_t value, std::int64_t smallest) {
  if (value < smallest) {
    return userError("{} must be at least {}, got {}", what, smallest, value);
  }
  if (value > kLargestSize) {
    return userError("{} must be at most {}, got {}", what, kLargestSize, value);
  }
  return {};
}

std::string typesText(ElementType lhs, ElementType rhs, ElementType result) {
  if (lhs == rhs && rhs == result) {
    return std::string(nameOf(lhs));
  }
  return fmt::format("{}_{}_{}", nameOf(lhs), nameOf(rhs), nameOf(result));
}

Result<ElementType> typeFrom(std::string_view name) {
  const auto type = elementTypeFrom(name);
  if (!type) {
    return userError("problem: unknown element type '{}'", name);
  }
  return *type;
}

}  // namespace hone::model
