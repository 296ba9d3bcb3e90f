#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Vectorizes innermost loops with vectors of `width` floats, unrolled by `unroll` with as many
/// accumulators. Computes exponentials and tanh with polynomials.
bool vectorizeLoops(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
