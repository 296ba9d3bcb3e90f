#pragma once

#include <optional>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/phases.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// A public function of a module.
struct FunctionDescription {
  std::string name;
  /// Types as MLIR text. For a function on buffers, the tensor types of their contents.
  std::vector<std::string> inputs;
  std::vector<std::string> results;
  std::string from = kPhaseStart;  ///< the phase that the compiler continues from
  /// Set if recognizeProblem() recognizes the function, which then has a reference.
  std::optional<model::Problem> problem;
  std::string recursion{};  ///< of the module, see findRecursion(); "" if there is none
};

using ModuleDescription = std::vector<FunctionDescription>;

/// Describes the public functions of a module, in a compile child.
[[nodiscard]] ModuleDescription describeModule(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
