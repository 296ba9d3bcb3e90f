#pragma once

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

/// Builds the most specific matcher for an operation.
[[nodiscard]] OperationMatcher makeMatcher(const CompilerApi& api, MlirOperation operation);

}  // namespace hone::iree
