#pragma once

#include <span>

#include "model/problem/problem.h"
#include "verify/tensor.h"

namespace hone::verify {

/// What follows the sums of the problem: f32 for float results, from f32 or i32 sums; i32 for
/// integer ones, wrapped to the result's own range. The inputs are those of the problem.
[[nodiscard]] Tensor withEpilogue(const model::Problem& problem, Tensor sums,
                                  std::span<const Tensor> inputs);

/// softmax(scale * row) of each row of so many columns, in double.
void softmaxRows(std::span<float> values, std::size_t columns, double scale);

}  // namespace hone::verify
