#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "iree/compile/dispatch_programs.h"
#include "iree/run/dispatch_times.h"

namespace hone::iree {

/// The cost of a dispatch in one call of its program.
struct DispatchCost {
  std::int64_t calls = 0;
  double totalNs = 0;
  double share = 0;  ///< of the time of all dispatches, from 0 to 1
};

/// Returns the costs of the programs' dispatches, in their order, from the dispatch times of the
/// whole program.
[[nodiscard]] std::vector<DispatchCost> dispatchCosts(std::span<const DispatchProgram> programs,
                                                      std::span<const DispatchTime> times);

}  // namespace hone::iree
