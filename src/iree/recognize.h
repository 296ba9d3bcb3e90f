#pragma once

#include <optional>

#include "iree/compiler_api.h"
#include "model/problem.h"

namespace hone::iree {

/// The problem that a function computes, when it is nothing but one contraction or convolution of
/// its two arguments, in order, into a zeroed result. Anything in doubt is not recognized: a wrong
/// guess would verify against the wrong reference.
[[nodiscard]] std::optional<model::Problem> recognizeProblem(const CompilerApi& api,
                                                             MlirOperation function);

}  // namespace hone::iree
