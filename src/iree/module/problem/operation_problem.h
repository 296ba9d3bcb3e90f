#pragma once

#include <optional>
#include <vector>

#include "iree/module/compiler_api.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// The static tensor type of a value; nothing for any other type.
[[nodiscard]] std::optional<model::TensorType> tensorOf(const CompilerApi& api, MlirValue value);

/// The matmul, batch matmul or 2-D convolution that an operation does, with the types of its
/// operands, whatever they come from; nothing for other operations and dynamic shapes.
struct OperationProblem {
  model::Problem problem;
  bool exact = true;  ///< the operands have the very layouts of the problem's, not just its sizes
};
[[nodiscard]] std::optional<OperationProblem> problemOf(const CompilerApi& api,
                                                        MlirOperation operation);

/// The problems of all operations of a module that have one, in their order, duplicates too: what a
/// program's time is spent on. A convolution whose filter (or group) dimensions lie in another
/// order is there as the problem of the same sizes.
[[nodiscard]] std::vector<model::Problem> problemsIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
