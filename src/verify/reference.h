#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "model/problem/problem.h"
#include "verify/tensor/tensor.h"

namespace hone::verify {

/// Computes the result of the problem without IREE: the sums by oneDNN in f32, the epilogue in
/// double, rounded to f32. Integer inputs with an integer result give i32, exact modulo 2^32 or
/// modulo the range of a narrower result. Inputs are in the order of model::operandTypes. Runs on
/// the calling thread only, so that the process can still fork.
[[nodiscard]] Result<Tensor> computeReference(const model::Problem& problem,
                                              std::span<const Tensor> inputs);

/// Returns the name and version of the reference library: "oneDNN 2.6.3".
[[nodiscard]] std::string referenceLibrary();

}  // namespace hone::verify
