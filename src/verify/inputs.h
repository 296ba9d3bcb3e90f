#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verify/tensor.h"

namespace hone::verify {

enum class Values : std::uint8_t {
  smallIntegers,  ///< few, small and exact in every type, so that sums of products are exact
  reals,          ///< uniform in [-1, 1)
};

/// The tensor of operand number `operand`, reproducible from the seed; every operand and every
/// seed gives other values.
[[nodiscard]] Tensor makeInput(const model::TensorType& type, Values values, std::uint64_t seed,
                               std::size_t operand);

}  // namespace hone::verify
