#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "model/problem.h"
#include "verify/tensor.h"

namespace hone::verify {

/// The result of the problem by oneDNN, in f32 (i32 for integer inputs, exact modulo 2^32) whatever
/// the result type asks for: IREE computes none of it. Inputs are in the order of
/// model::operandsOf. Runs on the calling thread alone, so that the process stays safe to fork.
[[nodiscard]] Result<Tensor> computeReference(const model::Problem& problem,
                                              std::span<const Tensor> inputs);

/// Which library computes it, and its version: "oneDNN 2.6.3".
[[nodiscard]] std::string referenceLibrary();

}  // namespace hone::verify
