#pragma once

#include <optional>

#include "iree/module/compiler_api.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// The problem that a function computes, when it is nothing but one contraction or convolution of
/// its two arguments, in order, into a zeroed result; or when it is, operation for operation, what
/// mlirOf writes for a matmul or a 2-D forward convolution with padding, groups or an epilogue, or
/// for an attention. Anything in ablation is not recognized: a wrong guess would verify against the
/// wrong reference.
[[nodiscard]] std::optional<model::Problem> recognizeProblem(const CompilerApi& api,
                                                             MlirOperation function);

}  // namespace hone::iree
