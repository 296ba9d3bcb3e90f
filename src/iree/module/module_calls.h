#pragma once

#include <string>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// Returns the first cycle of calls between the functions of a module: "@a calls @b calls @a"; ""
/// if there is none. IREE inlines calls and does not end with a cycle.
[[nodiscard]] std::string findRecursion(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
