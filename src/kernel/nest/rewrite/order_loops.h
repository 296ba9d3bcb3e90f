#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Makes the loop with contiguous accesses the innermost. Sums in a scalar are accumulated in the
/// output instead. With `block` > 0, splits that loop of a sum into blocks of that many elements.
bool orderLoops(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
