#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Computes sums of products in a register tile of `rows` by `vectors` vectors of `width`. With
/// `pack` = 1, copies panels of the right-hand side, `depth` deep, so that they are read
/// contiguously. Otherwise reads it in place.
bool tileContractions(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
