#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// Reading and editing IR in memory, in a compile child.

/// Calls the visitor on the operation and all below it, from the outside in.
using Visitor = std::function<MlirWalkResult(MlirOperation)>;
void walk(const CompilerApi& api, MlirOperation root, Visitor visitor);

/// What stands directly in an operation.
[[nodiscard]] std::vector<MlirOperation> childrenOf(const CompilerApi& api, MlirOperation parent);

/// Returns the symbol that the operation defines; "" if it defines none.
[[nodiscard]] std::string symbolOf(const CompilerApi& api, MlirOperation operation);

/// Returns the type of an operand.
[[nodiscard]] MlirType operandType(const CompilerApi& api, MlirOperation operation,
                                   std::intptr_t operand);

/// The text of a module with one function more, at its end.
[[nodiscard]] std::string withFunction(std::string module, const std::string& function);

/// The hal.executables of a module.
[[nodiscard]] std::vector<MlirOperation> executablesIn(const CompilerApi& api,
                                                       MlirOperation module);

/// The name of the hal.executable around an operation, "" outside of one.
[[nodiscard]] std::string dispatchAround(const CompilerApi& api, MlirOperation operation);

}  // namespace hone::iree
