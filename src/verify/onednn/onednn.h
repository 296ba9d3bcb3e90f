#pragma once

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::verify {

/// Computes the sums of a matmul or convolution with oneDNN, in f32 and on the calling thread. The
/// arrays are dense and row-major, with the shapes of model::operandTypes and model::resultType.
/// Does not apply the epilogue; fails for an attention.
[[nodiscard]] Result<void> runOneDnn(const model::Problem& problem, const float* first,
                                     const float* second, float* result);

}  // namespace hone::verify
