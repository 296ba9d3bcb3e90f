#pragma once

#include "base/error.h"
#include "model/problem.h"

namespace hone::verify {

/// The problem in f32 by oneDNN on dense row-major arrays of the shapes of model::operandsOf and
/// model::resultOf, on the calling thread alone.
[[nodiscard]] Result<void> runOneDnn(const model::Problem& problem, const float* first,
                                     const float* second, float* result);

}  // namespace hone::verify
