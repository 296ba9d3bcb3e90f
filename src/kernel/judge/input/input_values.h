#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor.h"

namespace hone::kernel {

/// What the inputs of a trial look like.
enum class ValueKind : std::uint8_t {
  unit,      ///< uniform in [-1, 1), times a scale of each tensor
  positive,  ///< uniform in (0, 1], times a scale
  /// Every row another kind: zeros, a constant (a power of two: its sums are exact), large,
  /// negative, tiny, denormal numbers and negative zeros strewn in, one element that outweighs all.
  rows,
};

/// "random values", …: for messages.
[[nodiscard]] std::string_view nameOf(ValueKind kind);

/// The inputs of a shape, the same on every machine for the same seed, other ones for another seed.
/// Integer inputs are in [-8, 8], of i1 0 and 1.
[[nodiscard]] std::vector<verify::Tensor> makeInputs(const Shape& shape, ValueKind kind,
                                                     std::uint64_t seed);

/// Sets an element, rounded to the tensor's type.
void storeNumber(verify::Tensor& tensor, std::size_t index, double value);

/// The tensor's elements as doubles, in a tensor of f64.
[[nodiscard]] verify::Tensor widened(const verify::Tensor& tensor);

}  // namespace hone::kernel
