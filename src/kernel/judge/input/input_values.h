#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor/tensor.h"

namespace hone::kernel {

/// Distribution of the inputs of a trial.
enum class ValueKind : std::uint8_t {
  unit,      ///< uniform in [-1, 1), times a scale per tensor
  positive,  ///< uniform in (0, 1], times a scale per tensor
  /// A random kind per row: zeros, a constant (a power of two: its sums are exact), large, negative
  /// or tiny numbers, some denormals and negative zeros, or one dominant element.
  rows,
  /// `unit` with one dominant element at a random place of every row, and zeros, denormals and
  /// large elements at random places of every tile.
  outliers,
  specials,  ///< `unit` with NaN and infinities at random places of some rows
  permuted,  ///< the elements of `unit` in another order
  changed,   ///< `unit` with few elements replaced by others
  scaled,    ///< `unit` times a power of two
};

/// Returns true for values that are small with few exceptions: errors of their sums behave like a
/// random walk.
[[nodiscard]] constexpr bool isUniform(ValueKind kind) {
  return kind == ValueKind::unit || kind == ValueKind::positive || kind == ValueKind::permuted ||
         kind == ValueKind::changed || kind == ValueKind::scaled;
}

/// Magnitude of dominant elements.
inline constexpr double kLarge = 1024;

/// Returns the name for messages, e.g. "random values".
[[nodiscard]] std::string_view nameOf(ValueKind kind);

/// Creates the inputs of a shape. They depend only on the seed, not on the machine. Integers are in
/// the range of their argument and include both of its ends; without a range they are in [-8, 8].
/// i1 is 0 or 1.
[[nodiscard]] std::vector<verify::Tensor> makeInputs(const Shape& shape, ValueKind kind,
                                                     std::uint64_t seed);

/// Replaces NaN and infinities in the inputs by `value`.
void replaceSpecials(std::vector<verify::Tensor>& inputs, double value);

/// Returns the length of a row: the last dimension, or a part of a vector.
[[nodiscard]] std::size_t rowLength(const model::TensorType& type);

/// Stores `value`, rounded to the tensor's element type.
void storeNumber(verify::Tensor& tensor, std::size_t index, double value);
void storeNumber(model::ElementType type, std::span<std::byte> data, std::size_t index,
                 double value);

/// Converts a tensor to f64.
[[nodiscard]] verify::Tensor widenToF64(const verify::Tensor& tensor);

/// Returns the range of an integer argument: its own, or that of small numbers; i1 is 0 or 1.
[[nodiscard]] IntegerRange integerRange(const Argument& argument);

}  // namespace hone::kernel
