#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Fuses loops over the same range and replaces temporaries between them by scalars. With `rows` >
/// 0, interleaves whole nests in blocks of that many rows.
bool fuseLoops(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
