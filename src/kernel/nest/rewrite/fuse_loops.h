#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Loops over the same range become one, and temporaries between them scalars. `rows` > 0: loops
/// around whole nests are cut into blocks of so many rows, and the nests take turns a block.
bool fuseLoops(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
