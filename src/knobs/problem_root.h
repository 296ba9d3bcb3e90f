#pragma once

#include <optional>

#include "model/problem/problem.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Returns the root operation that the compiler makes of a problem, as far as that is known without
/// compiling it: without a dispatch and without the compiler's own choice. Nothing for convolutions
/// whose attributes the compiler loses: all but forward 2-D ones without groups, and those with a
/// loop that runs once, which it folds.
[[nodiscard]] std::optional<model::RootOperation> rootFrom(const model::Problem& problem);

}  // namespace hone::knobs
