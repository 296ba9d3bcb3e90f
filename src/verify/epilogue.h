#pragma once

#include <span>

#include "model/problem/problem.h"
#include "verify/tensor/tensor.h"

namespace hone::verify {

/// Applies the epilogue of the problem to its sums, which are f32 or i32. Returns f32 for float
/// results, and i32 wrapped to the range of the result type for integer results; without an
/// epilogue, the type of the sums is kept. `inputs` are those of the problem.
[[nodiscard]] Tensor applyEpilogue(const model::Problem& problem, Tensor sums,
                                   std::span<const Tensor> inputs);

/// Replaces each row of `columns` values by softmax(scale * row), computed in double.
void softmaxRows(std::span<float> values, std::size_t columns, double scale);

}  // namespace hone::verify
