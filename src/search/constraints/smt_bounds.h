#pragma once

#include <span>

#include "search/constraints/smt.h"

namespace hone::search {

/// Derives bounds of the variables from the assertions by interval arithmetic. Every solution lies
/// within the bounds.
void deriveBounds(std::span<Variable> variables, std::span<const Term> terms,
                  std::span<const TermId> assertions);

}  // namespace hone::search
