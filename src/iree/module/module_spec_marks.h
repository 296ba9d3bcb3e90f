#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// Which entry of a spec the compiler applied to what, in a compile child. The configuration alone
// does not tell: two entries may set the same, and the default may happen to be it, too.

/// The spec as text, with actions that also leave the number of the entry on the operation and on
/// its function; "" where it cannot be made, which is said on stderr.
[[nodiscard]] std::string markedSpec(const CompilerApi& api, MlirOperation module);

/// An operation of a configured function.
struct ConfiguredOperation {
  std::string op;
  std::size_t ordinal = 0;  ///< its number among the operations of its name
  /// The compiler chose to tile by it; never set on an operation that a spec configured.
  bool root = false;
  std::int64_t entry = -1;  ///< the spec's entry that was applied to it; -1: none
  std::string loweringConfig;
};

/// A function of a program that was compiled with tuner attributes.
struct ConfiguredFunction {
  std::string dispatch;
  std::string function;
  std::string translationInfo;
  std::vector<std::int64_t> entries;  ///< the spec's entries that were applied in it, ascending
  std::vector<ConfiguredOperation> operations;
};

/// The configured functions of a program, compiled with a marked spec or without a spec.
struct SpecMarks {
  std::vector<std::string> backends;  ///< "llvm-cpu", sorted
  std::vector<ConfiguredFunction> functions;
};

/// Reads the marks in configured IR with tuner attributes.
[[nodiscard]] SpecMarks specMarks(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
