#pragma once

#include <optional>

#include "model/problem/problem.h"
#include "model/problem/reduction.h"

namespace hone::split {

/// Returns the reduction of a problem as the compiler's pass sees it, computed without the
/// compiler, for files of other tools. Returns nullopt for attention and if there is no loop to
/// split. The problem must have passed model::check.
[[nodiscard]] std::optional<model::Reduction> findReduction(const model::Problem& problem);

/// Returns the kind of a matmul or convolution in reports and files: that of its reduction. A
/// convolution whose filter does not slide, such as a 1x1 convolution, is a matmul.
[[nodiscard]] model::ReductionKind decideKind(const model::Problem& problem);

}  // namespace hone::split
