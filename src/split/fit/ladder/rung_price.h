#pragma once

#include <functional>

#include "split/fit/cases.h"

namespace hone::split {

/// Returns the best ladder if every rung (condition) costs `price`. The price regularizes the fit:
/// a higher price gives a shorter ladder.
using LadderAt = std::function<Ladder(double price)>;
/// Prepares a fit of the cases, of which there is at least one. The cases must outlive the result.
using Fitter = std::function<LadderAt(const Cases& cases)>;

/// Fits the ladder at the highest price whose cross-validated cost equals the best within a
/// tolerance. A lower price (more rungs) is taken only if it saves time, or slows down fewer
/// shapes, on shapes that the ladder was not fitted to.
[[nodiscard]] Ladder fitAtBestPrice(const Cases& cases, const Fitter& fitter);

}  // namespace hone::split
