#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernel/judge/execution/reference_run.h"
#include "kernel/judge/task/task.h"
#include "verify/tensor/tensor.h"

namespace hone::kernel {

/// Returns an upper bound of the number of summands of an output element, which its shape allows:
/// the largest of flops per output, inputs per output and the longest dimension.
[[nodiscard]] double maxReductionLength(const Shape& shape);

/// Computes the outputs of the reference.
using ComputeOutputs = std::function<Result<Expected>(std::span<const verify::Tensor>)>;

/// Returns the number of summands of an output element, as far as the reference shows it: changes
/// single input elements and counts the outputs that change. Without this, an elementwise operation
/// on a long vector would get the tolerance of a long sum. Never more than maxReductionLength(),
/// and exactly that if there are integer inputs, which select elements, or too many inputs.
[[nodiscard]] Result<double> findReductionLength(const Shape& shape, const ComputeOutputs& compute,
                                                 std::uint64_t seed);

}  // namespace hone::kernel
