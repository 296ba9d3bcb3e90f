#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// The innermost loops by vectors of `width` floats, `unroll` of them at a time, with as many
/// accumulators; exponentials and tanh by polynomials.
bool vectorizeLoops(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
