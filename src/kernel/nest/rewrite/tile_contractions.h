#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Sums of products in registers: a tile of `rows` by `vectors` vectors of `width`. `pack` = 1: a
/// panel of the right-hand side, `depth` deep, is copied first so that it is read in order; else it
/// is read in place.
bool tileContractions(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
