#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace hone::search {

/// Operation of a term. ">" and ">=" are represented as "<" and "<=" with swapped operands.
enum class TermKind : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  absolute,
  less,
  lessEqual,
  equal,
  logicalNot,
  logicalAnd,
  logicalOr,
  choose,  ///< if-then-else: operands are condition, then, else
};

using TermId = std::uint32_t;

/// One operation; its operands are earlier terms of the same list. Booleans are 0 and 1.
struct Term {
  TermKind kind = TermKind::constant;
  bool isBool = false;
  std::int64_t value = 0;  ///< of a constant; for a variable, its index
  std::vector<TermId> operands{};

  auto operator<=>(const Term&) const = default;
};

}  // namespace hone::search
