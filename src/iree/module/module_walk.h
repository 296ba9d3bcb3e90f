#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
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

/// The numbers of an attribute that is a list of them: "array<i32: 0, 2>", "[0 : index, -1 :
/// index]".
[[nodiscard]] std::vector<std::int64_t> numbersIn(std::string text);

/// The text of a module with one function more, at its end.
[[nodiscard]] std::string withFunction(std::string module, const std::string& function);

/// The hal.executables of a module.
[[nodiscard]] std::vector<MlirOperation> executablesIn(const CompilerApi& api,
                                                       MlirOperation module);

/// The name of the hal.executable around an operation, "" outside of one.
[[nodiscard]] std::string dispatchAround(const CompilerApi& api, MlirOperation operation);

/// The public functions of a module: [{"name", "inputs": [type texts], "results": [type texts],
/// "from", "problem": …}]. "from" is the phase that the compiler goes on from; where the functions
/// are already called with buffers, the types are those of what is in them. "problem" is there for
/// a function that recognizeProblem knows: those have a reference.
[[nodiscard]] nlohmann::json describeModule(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
