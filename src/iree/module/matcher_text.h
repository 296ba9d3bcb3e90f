#pragma once

#include <nlohmann/json.hpp>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// What matches this operation, by the matcher that knows its structure best: {"op", "kind",
/// "types", "sizes", "matcher", "exact", "why_not"}, see matchersIn.
[[nodiscard]] nlohmann::json matcherOf(const CompilerApi& api, MlirOperation operation);

}  // namespace hone::iree
