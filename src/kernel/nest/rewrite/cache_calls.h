#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Stores an exponential or tanh that a later loop computes again.
bool cacheCalls(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
