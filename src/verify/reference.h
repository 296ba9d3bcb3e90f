#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "model/problem/problem.h"
#include "verify/tensor.h"

namespace hone::verify {

/// The result of the problem, its sums by oneDNN in f32 whatever the result type asks for, what
/// follows them in double, rounded to f32; for integer inputs and an integer result an i32, exact
/// modulo 2^32 (or modulo the range of a narrower result). IREE computes none of it. Inputs are in
/// the order of model::operandsOf. Runs on the calling thread alone, so that the process stays safe
/// to fork.
[[nodiscard]] Result<Tensor> computeReference(const model::Problem& problem,
                                              std::span<const Tensor> inputs);

/// Which library computes it, and its version: "oneDNN 2.6.3".
[[nodiscard]] std::string referenceLibrary();

}  // namespace hone::verify
