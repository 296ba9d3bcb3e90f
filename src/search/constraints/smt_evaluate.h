#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "search/constraints/smt_term.h"

namespace hone::search {

/// A value; nothing if it is unknown or undefined (division by zero).
using Known = std::optional<std::int64_t>;

/// Evaluates a term, given the values of the variables and of its operands.
[[nodiscard]] Known evaluate(const Term& term, std::span<const Known> variables,
                             std::span<const Known> terms);

}  // namespace hone::search
