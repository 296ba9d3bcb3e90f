#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::iree {

/// A sequence with operations in the syntax of the installed compiler.
struct OperationUpgrade {
  std::string text;
  std::vector<std::string> changes;  ///< one sentence per change
};

/// Rewrites operations of earlier versions in the text of a sequence: named matmuls with a
/// transposed operand, properties written as attributes, and debug output.
[[nodiscard]] OperationUpgrade upgradeOperations(std::string text);

/// Returns an operation in the text that earlier versions of the compiler had and that has no
/// successor; "" if there is none.
[[nodiscard]] std::string_view removedOperation(std::string_view text);

}  // namespace hone::iree
