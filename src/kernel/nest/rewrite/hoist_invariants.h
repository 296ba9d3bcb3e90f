#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Hoists divisions by loop invariants and functions of them out of loops.
bool hoistInvariants(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
