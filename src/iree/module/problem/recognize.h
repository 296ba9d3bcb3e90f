#pragma once

#include <optional>

#include "iree/module/compiler_api.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// Returns the problem that a function computes, if it is certain. Recognizes two kinds:
/// - a single contraction or convolution of the two arguments, in order, into a zeroed result;
/// - exactly the operations that emitMlir() writes for an attention, or for a matmul or 2-D forward
///   convolution with padding, groups or an epilogue.
/// A wrong guess would verify against the wrong reference, so everything else is rejected.
[[nodiscard]] std::optional<model::Problem> recognizeProblem(const CompilerApi& api,
                                                             MlirOperation function);

}  // namespace hone::iree
