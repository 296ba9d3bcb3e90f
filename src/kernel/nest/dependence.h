#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Whether both count over the same range.
[[nodiscard]] bool sameRange(const Stmt& a, const Stmt& b);

/// Whether the loops, of the same range, may run as one: no round of one needs what another round
/// of the other makes.
[[nodiscard]] bool canFuse(const Stmt& a, const Stmt& b);

/// Whether no round of the loop uses what another writes, so that the rounds may run in any order
/// and at the same time. Arrays that are declared within it are its rounds' own.
[[nodiscard]] bool isParallel(const Stmt& loop);

/// Whether the bounds use no element of an array and none of the names, and the step is 1.
[[nodiscard]] bool hasPlainBounds(const Stmt& loop, const std::vector<std::string>& forbidden);

}  // namespace hone::kernel::nest
