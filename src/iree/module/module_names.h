#pragma once

#include <string>
#include <string_view>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// Returns true if MLIR prints the symbol without quotes.
[[nodiscard]] bool isBareName(std::string_view name);

/// Returns the name with an underscore in place of each character that needs quotes.
[[nodiscard]] std::string bareName(std::string_view name);

/// Renames the functions of a module that need quotes, and their calls. The compiler derives names
/// of dispatches, files and sequences from them.
void renameFunctions(const CompilerApi& api, MlirContext context, MlirOperation module);

}  // namespace hone::iree
