#pragma once

#include <optional>
#include <string>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

/// Returns the indexing maps of a linalg or linalg_ext operation as MLIR text; "" for others.
[[nodiscard]] std::string printMaps(const CompilerApi& api, MlirOperation operation);

/// Builds a structural matcher of the compiler for a contraction, convolution or attention with
/// static loops. Returns nothing for other operations.
[[nodiscard]] std::optional<OperationMatcher> matchStructure(const CompilerApi& api,
                                                             MlirOperation operation);

}  // namespace hone::iree
