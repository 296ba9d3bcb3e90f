#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// Which entry of a spec the compiler applied to what, in a compile child. The configuration alone
// does not tell: two entries may set the same, and the default may happen to be it, too.

/// The spec as text, with actions that also leave the number of the entry on the operation and on
/// its function; "" where it cannot be made, which is said on stderr.
[[nodiscard]] std::string markedSpec(const CompilerApi& api, MlirOperation module);

/// The configured functions of a program that was compiled with tuner attributes, and with a marked
/// spec or none:
/// {"backends": ["llvm-cpu"], "functions": [{"dispatch", "function", "translation_info",
///   "entries": [numbers of those applied to something in it],
///   "operations": [{"op", "ordinal": its number among those of its name, "root": whether the
///                   compiler chose to tile by it, which it does not where a spec did,
///                   "entry": number or -1, "lowering_config"}]}]}
[[nodiscard]] nlohmann::json specMarks(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
