#pragma once

#include <span>

#include "search/constraints/smt.h"

namespace hone::search {

/// Gives the variables the bounds that follow from the assertions by interval arithmetic alone:
/// every value that any solution has lies within them.
void deriveBounds(std::span<Variable> variables, std::span<const Term> terms,
                  std::span<const TermId> assertions);

}  // namespace hone::search
