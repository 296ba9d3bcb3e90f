#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// A dispatch of a program, and the program that calls it alone.
struct DispatchDescription {
  std::string dispatch;              ///< the executable's name
  std::vector<std::string> entries;  ///< its entry points
  std::int64_t calls = 0;            ///< call sites in the program
  std::string fingerprint;           ///< equal for dispatches that differ in names only
  std::string function;              ///< the only function of `text`
  std::string text;                  ///< the program; "" if it cannot be written
  std::vector<std::string> inputs;   ///< types of the function's arguments
  std::vector<std::string> results;  ///< types of its results
  std::string whyNot;                ///< why there is no text; "" if there is
};

/// Lists the dispatches of a program from its IR after `flow`, in a compile child, in the program's
/// order. Each text is a program whose only function calls the dispatch with its arguments.
[[nodiscard]] std::vector<DispatchDescription> dispatchesIn(const CompilerApi& api,
                                                            MlirOperation module);

}  // namespace hone::iree
