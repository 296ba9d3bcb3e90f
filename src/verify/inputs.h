#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/problem/problem.h"
#include "verify/tensor/tensor.h"

namespace hone::verify {

enum class Values : std::uint8_t {
  /// -8…8 without 0 (0 and 1 for i1). Exact in every type; sums of 262144 products are exact in f32
  /// in any order, and every omitted product changes the result.
  smallIntegers,
  /// Uniform in [-1, 1), rounded to the type. Integer types get small integers instead.
  reals,
};

/// Returns the values that reveal most defects: small integers for plain sums, which are then
/// exact; reals where large sums would saturate the epilogue (gelu, softmax, attention).
[[nodiscard]] Values valuesFor(const model::Problem& problem);

/// Creates the tensor of operand number `operand`. Reproducible on every machine; different
/// operands and seeds give different values.
[[nodiscard]] Tensor makeInput(const model::TensorType& type, Values values, std::uint64_t seed,
                               std::size_t operand);

/// Integers from `low` up to, but without, `high`.
struct IntegerBounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Like makeInput(), with integers uniform within the bounds. The type must be an integer type.
[[nodiscard]] Tensor makeIntegers(const model::TensorType& type, const IntegerBounds& bounds,
                                  std::uint64_t seed, std::size_t operand);

/// Returns a tensor with the value, rounded to the type, in every element.
[[nodiscard]] Tensor makeConstant(const model::TensorType& type, double value);

}  // namespace hone::verify
