#pragma once

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::verify {

/// The sums of products of a matmul or a convolution, in f32 by oneDNN on dense row-major arrays of
/// the shapes of model::operandsOf and model::resultOf, on the calling thread alone. What follows
/// the sums is left to the caller, and so is an attention.
[[nodiscard]] Result<void> runOneDnn(const model::Problem& problem, const float* first,
                                     const float* second, float* result);

}  // namespace hone::verify
