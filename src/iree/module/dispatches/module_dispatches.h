#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// A dispatch of a program, and a standalone program that calls only this dispatch.
struct DispatchDescription {
  std::string dispatch;              ///< the executable's name
  std::vector<std::string> entries;  ///< its entry points
  std::int64_t calls = 0;            ///< call sites in the program
  std::string fingerprint;           ///< equal for dispatches that differ only in names
  std::string function;              ///< the only function of `text`
  std::string text;                  ///< the standalone program; "" if there is none
  std::vector<std::string> inputs;   ///< types of the function's arguments
  std::vector<std::string> results;  ///< types of its results
  std::string skipReason;            ///< the reason if there is no text; "" otherwise
};

/// Lists the dispatches of a program from its IR after `flow`, in a compile child, in program
/// order. Each text is a program whose only function calls the dispatch with its arguments.
[[nodiscard]] std::vector<DispatchDescription> dispatchesIn(const CompilerApi& api,
                                                            MlirOperation module);

}  // namespace hone::iree
