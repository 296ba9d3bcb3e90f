#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor.h"

namespace hone::kernel {

/// Puts what the reference itself made into inputs that are not free: parameters (a variance must
/// stay positive) and integers (an index must stay in its range). Parameters are changed a little,
/// as a weight of ones or a bias of zeros would not show that a kernel forgets it. Without
/// `natural` nothing is changed.
void mixNatural(const Shape& shape, std::span<const verify::Tensor> natural, std::uint64_t seed,
                std::vector<verify::Tensor>& inputs);

}  // namespace hone::kernel
