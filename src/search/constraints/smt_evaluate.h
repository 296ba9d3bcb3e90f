#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "search/constraints/smt_term.h"

namespace hone::search {

/// A value, or nothing where it is not known yet or not defined (a division by zero).
using Known = std::optional<std::int64_t>;

/// A term's value from those of the variables and of its operands.
[[nodiscard]] Known evaluated(const Term& term, std::span<const Known> variables,
                              std::span<const Known> terms);

}  // namespace hone::search
