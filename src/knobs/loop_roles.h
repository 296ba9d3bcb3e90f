#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/error.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// The loops of a product of two tensors by which tensors they walk through, outer ones first.
struct LoopRoles {
  std::vector<std::size_t> batch;    ///< both inputs and the result
  std::vector<std::size_t> rows;     ///< the first input and the result
  std::vector<std::size_t> columns;  ///< the second input and the result
  std::vector<std::size_t> sums;     ///< both inputs
  std::vector<std::size_t> windows;  ///< sums that move along an input together with another loop
};

/// Whether a loop is part of an index of the operand.
[[nodiscard]] bool walksThrough(const model::RootOperand& operand, std::size_t loop);

/// The loop that walks along neighbours in memory; nothing for a constant or a window.
[[nodiscard]] std::optional<std::size_t> innermostLoop(const model::RootOperand& operand);

/// Of an operation with two inputs or more and a result.
[[nodiscard]] Result<LoopRoles> rolesOf(const model::RootOperation& root);

/// An error that says why nothing can be chosen: no loops, a loop whose size is not known, all
/// loops of one step.
[[nodiscard]] Result<void> checkLoops(const model::RootOperation& root);

}  // namespace hone::knobs
