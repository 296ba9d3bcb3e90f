#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Returns true if both loops iterate over the same range.
[[nodiscard]] bool sameRange(const Stmt& a, const Stmt& b);

/// Returns true if the loops can be fused: they have the same range, and no iteration of one
/// depends on a different iteration of the other.
[[nodiscard]] bool canFuse(const Stmt& a, const Stmt& b);

/// Returns true if no iteration accesses data that another iteration writes, so that they can run
/// in any order and in parallel. Arrays declared within the loop are private to an iteration.
[[nodiscard]] bool isParallel(const Stmt& loop);

/// Returns true if the step is 1 and the bounds use neither array elements nor the given names.
[[nodiscard]] bool hasPlainBounds(const Stmt& loop, const std::vector<std::string>& forbidden);

}  // namespace hone::kernel::nest
