#pragma once

#include <nlohmann/json.hpp>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// The operations that dispatches are tiled by, in a compile child.

/// Writes on each operation of the dispatches which one it is, before the compiler configures them:
/// what configuration rewrites can be found again where an attribute would survive as well.
void numberOperations(const CompilerApi& api, MlirContext context, MlirOperation module);

/// The root operations of each dispatch as a list of model::RootOperation, from configured IR with
/// tuner attributes and numbered operations. A dispatch without one is there with op "".
[[nodiscard]] nlohmann::json rootsIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
