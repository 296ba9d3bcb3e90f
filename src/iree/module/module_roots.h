#pragma once

#include <vector>

#include "iree/module/compiler_api.h"
#include "model/problem/root_operation.h"

namespace hone::iree {

// The operations that dispatches are tiled by, in a compile child.

/// Writes on each operation of the dispatches which one it is, before the compiler configures them:
/// what configuration rewrites can be found again where an attribute would survive as well.
void numberOperations(const CompilerApi& api, MlirContext context, MlirOperation module);

/// Lists the root operations of each dispatch, from configured IR with tuner attributes and
/// numbered operations. A dispatch without a root has an entry with op "".
[[nodiscard]] std::vector<model::RootOperation> rootsIn(const CompilerApi& api,
                                                        MlirOperation module);

}  // namespace hone::iree
