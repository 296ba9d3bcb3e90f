#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// The constants of the early returns for the heuristic's form and kind, with its ladder: an
/// operation is left alone where that is as fast as what the ladder gives it. A constant of the
/// compiler stays unless another saves something; all stay where not splitting was not measured.
[[nodiscard]] EarlyReturns fitReturns(const Heuristic& heuristic, const Cases& cases);

}  // namespace hone::split
