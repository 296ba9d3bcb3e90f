#pragma once

#include <optional>
#include <string>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

/// The indexing maps of a linalg or linalg_ext operation as a list of MLIR text; "" for others.
[[nodiscard]] std::string mapsOf(const CompilerApi& api, MlirOperation operation);

/// Makes a matcher by the structure of an operation: a contraction, a convolution or an attention
/// with static loops, for which the compiler has matchers. Returns nothing for other operations.
[[nodiscard]] std::optional<OperationMatcher> matchStructure(const CompilerApi& api,
                                                             MlirOperation operation);

}  // namespace hone::iree
