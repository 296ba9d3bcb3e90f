#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace hone::search {

/// What a term does with its operands. ">" and ">=" are written as "<" and "<=" the other way
/// round.
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
  choose,  ///< the second operand where the first is true, the third where it is not
};

using TermId = std::uint32_t;

/// One operation; its operands are earlier terms of the same list. Truth is 0 and 1.
struct Term {
  TermKind kind = TermKind::constant;
  bool isBool = false;
  std::int64_t value = 0;          ///< of a constant; the number of a variable
  std::vector<TermId> operands{};  // NOLINT(readability-redundant-member-init): g++ warns without

  auto operator<=>(const Term&) const = default;
};

}  // namespace hone::search
