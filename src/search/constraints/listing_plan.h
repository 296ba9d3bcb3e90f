#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/error.h"
#include "search/constraints/listing_domains.h"
#include "search/constraints/smt.h"

namespace hone::search {

/// An equation that gives the value of the one variable that is open in it: what the one side comes
/// to goes down the other, turned round at every hop.
struct Solution {
  struct Hop {
    TermId term = 0;
    std::size_t operand = 0;  ///< the one with the variable in it
  };
  TermId value = 0;  ///< the side without the variable
  std::vector<Hop> path;
};

/// One variable's turn: its value is solved for or tried out, then what that decides is asked.
struct Step {
  struct Due {
    TermId term = 0;
    bool asserted = false;
  };
  std::size_t variable = 0;
  std::optional<Solution> solution;
  std::vector<Due> due;  ///< terms whose last variable this is, operands first
};

struct Plan {
  std::vector<Step::Due> before;  ///< terms without variables
  std::vector<Step> steps;
  std::size_t knobsEnd = 0;  ///< from this step on only whether there is a solution matters
};

/// An order of the variables in which assertions are decided early: the knobs, and whatever is
/// determined by what comes before; other variables at the end, those without assertions not at
/// all. One that has to be tried out and has no listed domain is an error that names it.
[[nodiscard]] Result<Plan> planOf(const Constraints& constraints,
                                  const std::vector<Domain>& domains,
                                  const std::vector<std::size_t>& knobs);

}  // namespace hone::search
