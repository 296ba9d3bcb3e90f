#pragma once

#include <optional>

#include "model/problem/problem.h"
#include "model/problem/reduction.h"

namespace hone::split {

/// The sum of a problem as the compiler's pass will see it, by formula and without the compiler:
/// for files that other tools wrote. Nothing where there is no loop to split, or an attention.
/// The problem must have passed model::check.
[[nodiscard]] std::optional<model::Reduction> reductionOf(const model::Problem& problem);

}  // namespace hone::split
