#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// Fits the constants of the early returns for the heuristic's form, kind and ladder. An operation
/// is left unsplit if that is as fast as the ladder's limit. A constant of the compiler is kept
/// unless another one saves time. An operation without a time for no split is left unsplit only if
/// the compiler leaves it unsplit, too.
[[nodiscard]] EarlyReturns fitReturns(const Heuristic& heuristic, const Cases& cases);

}  // namespace hone::split
