#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "iree/compiler_api.h"

namespace hone::iree {

/// The indexing maps of a linalg or linalg_ext operation as a list of MLIR text; "" for others.
[[nodiscard]] std::string mapsOf(const CompilerApi& api, MlirOperation operation);

/// What matches this operation, by the matcher that knows its structure best: {"op", "kind",
/// "types", "sizes", "matcher", "exact", "why_not"}, see matchersIn.
[[nodiscard]] nlohmann::json matcherOf(const CompilerApi& api, MlirOperation operation);

}  // namespace hone::iree
