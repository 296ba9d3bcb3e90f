#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iree/spec/upgrade/loop_info.h"

namespace hone::iree {

/// A configuration rewritten for the installed compiler.
struct ConfigUpgrade {
  std::string text;                  ///< the attribute; "" on failure
  std::vector<std::string> changes;  ///< one sentence per change; empty if nothing changed
  std::string failure;               ///< the reason if it cannot be expressed; "" otherwise
  bool needsProgram = false;         ///< it fails because the matcher does not state the loops
};

/// Rewrites a compilation_info, or a dictionary of lowering configurations, to the syntax of IREE
/// 3.12 and later. Text that is already in that syntax is not changed.
[[nodiscard]] ConfigUpgrade upgradeConfig(std::string_view text, const LoopInfo& loops);

}  // namespace hone::iree
