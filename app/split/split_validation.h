#pragma once

#include <vector>

#include "split/fit/recommendation.h"
#include "split/sweep/validation/validation_unit.h"

namespace hone::app {

/// Returns the splits to validate for each problem: those of the recommendations, and the fastest
/// measured one unless it is the compiler's default. Skips problems without a baseline.
[[nodiscard]] std::vector<split::ValidationOrder> makeValidationOrders(
    const std::vector<split::SweepProblem>& problems,
    const std::vector<split::ShapeRecord>& records,
    const std::vector<split::Recommendation>& recommendations);

/// Adds the oracle to the validated problems whose fastest measured split is the compiler's
/// default: it is the baseline and needs no measurement.
void addDefaultOracles(const std::vector<split::ValidationOrder>& orders,
                       std::vector<split::ValidationRecord>& records);

}  // namespace hone::app
