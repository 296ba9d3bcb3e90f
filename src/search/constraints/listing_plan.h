#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/error.h"
#include "search/constraints/listing_domains.h"
#include "search/constraints/smt.h"

namespace hone::search {

/// An equation that determines its only unassigned variable. The value of one side is propagated
/// down the other, inverting the operation at each hop.
struct Solution {
  struct Operation {
    TermId term = 0;
    std::size_t operand = 0;  ///< the one that contains the variable
  };
  TermId value = 0;  ///< the side without the variable
  std::vector<Operation> path;
};

/// Assigns one variable, by solving an equation or by trying values, then evaluates the terms that
/// this determines.
struct Step {
  struct Due {
    TermId term = 0;
    bool asserted = false;
  };
  std::size_t variable = 0;
  std::optional<Solution> solution;
  std::vector<Due> due;  ///< terms whose last variable this is, operands first
};

/// Order in which the variables are assigned.
struct ListingPlan {
  std::vector<Step::Due> before;  ///< terms without variables
  std::vector<Step> steps;
  std::size_t knobsEnd = 0;  ///< from this step on only the existence of a solution matters
};

/// Orders the variables so that assertions are decided early: knobs and variables determined by
/// earlier ones, then the others. Variables that are neither knobs nor in an assertion are omitted.
/// Fails if a variable must be enumerated but its domain is not listed.
[[nodiscard]] Result<ListingPlan> planVariables(const Constraints& constraints,
                                                const std::vector<Domain>& domains,
                                                const std::vector<std::size_t>& knobs);

}  // namespace hone::search
