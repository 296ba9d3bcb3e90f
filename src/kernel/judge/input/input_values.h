#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor.h"

namespace hone::kernel {

/// Distribution of the inputs of a trial.
enum class ValueKind : std::uint8_t {
  unit,      ///< uniform in [-1, 1), times a scale per tensor
  positive,  ///< uniform in (0, 1], times a scale per tensor
  /// A random kind per row: zeros, a constant (a power of two: its sums are exact), large, negative
  /// or tiny numbers, some denormals and negative zeros, or one dominant element.
  rows,
};

/// Returns the name for messages, e.g. "random values".
[[nodiscard]] std::string_view nameOf(ValueKind kind);

/// Creates the inputs of a shape. They depend only on the seed, not on the machine. Integers are in
/// the range of their argument, which has both ends among them, or in [-8, 8]; i1 is 0 or 1.
[[nodiscard]] std::vector<verify::Tensor> makeInputs(const Shape& shape, ValueKind kind,
                                                     std::uint64_t seed);

/// Stores `value`, rounded to the tensor's element type.
void storeNumber(verify::Tensor& tensor, std::size_t index, double value);

/// Converts a tensor to f64.
[[nodiscard]] verify::Tensor widenToF64(const verify::Tensor& tensor);

}  // namespace hone::kernel
