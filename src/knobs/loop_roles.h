#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/error.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Loops of a product of two tensors, grouped by the tensors that they index; outermost first.
struct LoopRoles {
  std::vector<std::size_t> batch;    ///< both inputs and the result
  std::vector<std::size_t> rows;     ///< the first input and the result
  std::vector<std::size_t> columns;  ///< the second input and the result
  std::vector<std::size_t> sums;     ///< both inputs
  std::vector<std::size_t>
      windows;  ///< reductions that index an input dimension together with another loop
};

/// Returns true if `loop` is part of an index of `operand`.
[[nodiscard]] bool indexes(const model::RootOperand& operand, std::size_t loop);

/// Returns the loop that is contiguous in memory; nothing for a constant or a window.
[[nodiscard]] std::optional<std::size_t> innermostLoop(const model::RootOperand& operand);

/// Groups the loops of `root`; fails unless it has at least two inputs and a result.
[[nodiscard]] Result<LoopRoles> groupLoops(const model::RootOperation& root);

/// Fails with the reason if nothing can be tuned: no loops, a loop of dynamic size, or only loops
/// with a single iteration.
[[nodiscard]] Result<void> checkLoops(const model::RootOperation& root);

}  // namespace hone::knobs
