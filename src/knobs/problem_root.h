#pragma once

#include <optional>

#include "model/problem/problem.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Predicts the root operation that the compiler creates for a problem, without compiling it. The
/// dispatch name and the compiler's default configuration are not set.
///
/// Returns nothing for convolutions whose attributes the compiler drops: all but forward 2-D ones
/// without groups, and those with a single-iteration loop, which it folds.
[[nodiscard]] std::optional<model::RootOperation> rootFrom(const model::Problem& problem);

}  // namespace hone::knobs
