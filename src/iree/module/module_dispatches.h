#pragma once

#include <nlohmann/json.hpp>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// The dispatches of a program, from its IR after `flow`, in a compile child, in the program's
/// order: [{"dispatch", "entries", "calls", "fingerprint", "function", "text", "inputs", "results",
/// "why_not"}]. The text is a program whose only function calls the dispatch with its arguments;
/// it is "" where that cannot be written, and why_not says why. Dispatches that differ in nothing
/// but names have the same fingerprint.
[[nodiscard]] nlohmann::json dispatchesIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
