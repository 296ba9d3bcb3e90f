#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// Helpers to read and edit IR in memory, in a compile child.

/// Visits the operation and all nested operations in pre-order.
using Visitor = std::function<MlirWalkResult(MlirOperation)>;
void walk(const CompilerApi& api, MlirOperation root, Visitor visitor);

/// Returns the operations directly nested in `parent`.
[[nodiscard]] std::vector<MlirOperation> childOperations(const CompilerApi& api,
                                                         MlirOperation parent);

/// Returns the symbol that the operation defines; "" if it defines none.
[[nodiscard]] std::string symbolName(const CompilerApi& api, MlirOperation operation);

/// Returns the type of an operand.
[[nodiscard]] MlirType operandType(const CompilerApi& api, MlirOperation operation,
                                   std::intptr_t operand);

/// Appends a function to the text of a module.
[[nodiscard]] std::string withFunction(std::string module, const std::string& function);

/// Returns the hal.executables of a module.
[[nodiscard]] std::vector<MlirOperation> executablesIn(const CompilerApi& api,
                                                       MlirOperation module);

/// Returns the name of the enclosing hal.executable; "" if there is none.
[[nodiscard]] std::string dispatchAround(const CompilerApi& api, MlirOperation operation);

}  // namespace hone::iree
