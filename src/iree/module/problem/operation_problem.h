#pragma once

#include <optional>
#include <vector>

#include "iree/module/compiler_api.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// Returns the static tensor type of a value; nothing for other types.
[[nodiscard]] std::optional<model::TensorType> readTensorType(const CompilerApi& api,
                                                              MlirValue value);

/// The problem that an operation computes.
struct OperationProblem {
  model::Problem problem;
  bool exact = true;  ///< the operands also have the layouts of the problem, not just its sizes
};
/// Returns the matmul, batch matmul or 2-D convolution that an operation computes, with the types
/// of its operands. Returns nothing for other operations and dynamic shapes.
[[nodiscard]] std::optional<OperationProblem> readProblem(const CompilerApi& api,
                                                          MlirOperation operation);

/// Returns the problems of a module's operations in program order, including duplicates. A
/// convolution with other filter or group layouts is listed as the problem of the same sizes.
[[nodiscard]] std::vector<model::Problem> problemsIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
