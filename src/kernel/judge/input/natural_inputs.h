#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor/tensor.h"

namespace hone::kernel {

/// Copies `natural`, the inputs made by the reference, into those `inputs` that are constrained:
/// parameters (a variance must stay positive) and integers (an index must stay in range).
/// Parameters are perturbed, because a weight of ones or a bias of zeros would not reveal a kernel
/// that ignores it. Does nothing if `natural` is empty.
void mixNatural(const Shape& shape, std::span<const verify::Tensor> natural, std::uint64_t seed,
                std::vector<verify::Tensor>& inputs);

/// Returns true if the reference constrains an input: a parameter or integers.
[[nodiscard]] bool isConstrained(const Shape& shape, std::size_t input);

/// Returns the range of the noise that perturbs a parameter with these values.
[[nodiscard]] double parameterNoise(std::span<const double> values);

/// Writes a constrained input: `base`, perturbed if it has floats.
void writeConstrained(const model::TensorType& type, std::span<const double> base, double noise,
                      std::uint64_t seed, std::span<std::byte> into);

}  // namespace hone::kernel
