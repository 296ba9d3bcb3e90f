#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// The indexing maps of a linalg or linalg_ext operation as a list of MLIR text; "" for others.
[[nodiscard]] std::string mapsOf(const CompilerApi& api, MlirOperation operation);

/// A matcher by the structure of an operation: of a contraction, a convolution or attention with
/// static loops, for which the compiler has matchers. See matcherOf; nothing for other operations.
[[nodiscard]] std::optional<nlohmann::json> structureMatcherOf(const CompilerApi& api,
                                                               MlirOperation operation);

}  // namespace hone::iree
