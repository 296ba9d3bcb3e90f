#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// The loop whose steps are next to each other in memory becomes the innermost; sums in a scalar
/// are kept in the output for it. `block` > 0: it goes over blocks of so many elements.
bool orderLoops(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
