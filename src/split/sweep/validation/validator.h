#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "engine/budget.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validation/validation_unit.h"

namespace hone::split {

/// Validates recommended splits, one unit per problem. Returns the records in the order of
/// `orders`. Stops rounds that are not needed for a verdict once the budget of the clock is used
/// up. Problems beyond the budget have no verdict; their failure names the budget. The tools must
/// outlive the call.
[[nodiscard]] Result<std::vector<ValidationRecord>> validate(
    const engine::UnitRun& run, const ValidationTools& tools,
    std::span<const ValidationOrder> orders, const engine::BudgetClock& clock);

}  // namespace hone::split
