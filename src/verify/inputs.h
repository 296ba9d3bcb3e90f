#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/problem/problem.h"
#include "verify/tensor.h"

namespace hone::verify {

enum class Values : std::uint8_t {
  /// -8…8 without 0: exact in every type, sums of 262144 products are exact in f32 whatever their
  /// order, and a product left out always shows. (i1: 0 and 1.)
  smallIntegers,
  /// Uniform in [-1, 1), rounded to the type; integer types get small integers all the same.
  reals,
};

/// Those that show most in the problem's result: small integers where it is sums, which are exact
/// then; reals where large sums would saturate what follows them (gelu, softmax, attention).
[[nodiscard]] Values valuesFor(const model::Problem& problem);

/// The tensor of operand number `operand`, reproducible from the seed on every machine; every
/// operand and every seed gives other values.
[[nodiscard]] Tensor makeInput(const model::TensorType& type, Values values, std::uint64_t seed,
                               std::size_t operand);

}  // namespace hone::verify
