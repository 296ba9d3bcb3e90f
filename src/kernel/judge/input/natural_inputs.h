#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor.h"

namespace hone::kernel {

/// Copies `natural`, the inputs made by the reference, into those `inputs` that are constrained:
/// parameters (a variance must stay positive) and integers (an index must stay in range).
/// Parameters are perturbed, because a weight of ones or a bias of zeros would not reveal a kernel
/// that ignores it. Does nothing if `natural` is empty.
void mixNatural(const Shape& shape, std::span<const verify::Tensor> natural, std::uint64_t seed,
                std::vector<verify::Tensor>& inputs);

}  // namespace hone::kernel
