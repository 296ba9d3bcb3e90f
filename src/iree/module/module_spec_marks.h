#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// Finds out which spec entry the compiler applied to which operation, in a compile child. The
// configuration alone is ambiguous: two entries, or an entry and the default, may have the same
// one.

/// Returns the spec as text with actions that also mark the operation and its function with the
/// index of the entry. Returns "" and prints the error to stderr on failure.
[[nodiscard]] std::string markedSpec(const CompilerApi& api, MlirOperation module);

/// An operation of a configured function.
struct ConfiguredOperation {
  std::string op;
  std::size_t ordinal = 0;  ///< its index among the operations of the same name
  /// The compiler's root operation; never set for an operation configured by a spec.
  bool root = false;
  std::int64_t entry = -1;  ///< the spec entry applied to it; -1 for none
  std::string loweringConfig;
};

/// A function of a program compiled with tuner attributes.
struct ConfiguredFunction {
  std::string dispatch;
  std::string function;
  std::string translationInfo;
  std::vector<std::int64_t> entries;  ///< the spec entries applied in it, ascending
  std::vector<ConfiguredOperation> operations;
};

/// The configured functions of a program compiled with a marked spec or without a spec.
struct SpecMarks {
  std::vector<std::string> backends;  ///< "llvm-cpu", sorted
  std::vector<ConfiguredFunction> functions;
};

/// Reads the marks in configured IR with tuner attributes.
[[nodiscard]] SpecMarks specMarks(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
