#pragma once

#include <vector>

#include "iree/module/compiler_api.h"
#include "model/problem/root_operation.h"

namespace hone::iree {

// Finds the root operations of dispatches, which decide their tiling, in a compile child.

/// Numbers the operations of the dispatches with an attribute before configuration. An operation
/// that keeps its number through the configuration passes would also keep an attached config.
void numberOperations(const CompilerApi& api, MlirContext context, MlirOperation module);

/// Returns true if a dispatch for a GPU has a softmax.
[[nodiscard]] bool hasGpuSoftmax(const CompilerApi& api, MlirOperation module);

/// Lists the root operations of each dispatch, from configured IR with tuner attributes and
/// numbered operations. A dispatch without a root has an entry with op "".
[[nodiscard]] std::vector<model::RootOperation> rootsIn(const CompilerApi& api,
                                                        MlirOperation module);

}  // namespace hone::iree
