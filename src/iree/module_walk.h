#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "iree/compiler_api.h"
#include "model/config.h"

namespace hone::iree {

// Reading and editing IR in memory, in a compile child.

/// Calls the visitor on the operation and all below it, from the outside in.
using Visitor = std::function<MlirWalkResult(MlirOperation)>;
void walk(const CompilerApi& api, MlirOperation root, Visitor visitor);

/// The name of the hal.executable around an operation, "" outside of one.
[[nodiscard]] std::string dispatchAround(const CompilerApi& api, MlirOperation operation);

/// The public functions of a module: [{"name", "inputs": [type texts], "results": [type texts],
/// "problem": …}]. "problem" is there for a function that recognizeProblem knows: those have a
/// reference.
[[nodiscard]] nlohmann::json describeModule(const CompilerApi& api, MlirOperation module);

/// The root operation of each dispatch, from IR with tuner attributes:
/// [{"dispatch", "op", "lowering_config", "translation_info"}].
[[nodiscard]] nlohmann::json dispatchRoots(const CompilerApi& api, MlirOperation module);

/// Puts the attributes on all operations they name, inside the dispatches. Says on stderr which
/// found no operation or do not parse; false then.
[[nodiscard]] bool attachAttributes(const CompilerApi& api, MlirContext context,
                                    MlirOperation module,
                                    std::span<const model::OpAttribute> attributes);

}  // namespace hone::iree
