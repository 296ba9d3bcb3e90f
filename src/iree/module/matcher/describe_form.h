#pragma once

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/operation_form.h"

namespace hone::iree {

// Describes operations and matchers in a compile child.

/// Describes an operation of a program, or the example in a matcher.
[[nodiscard]] OperationForm describeForm(const CompilerApi& api, MlirOperation operation);

/// Describes the operations that a matcher of a spec accepts. Follows the sequences it includes.
[[nodiscard]] OperationForm describeMatcher(const CompilerApi& api, MlirOperation module,
                                            MlirOperation sequence);

}  // namespace hone::iree
