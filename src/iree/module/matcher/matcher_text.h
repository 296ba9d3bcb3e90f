#pragma once

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

/// Makes the matcher of an operation that knows its structure best.
[[nodiscard]] OperationMatcher makeMatcher(const CompilerApi& api, MlirOperation operation);

}  // namespace hone::iree
