#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// An exponential or tanh taken twice of the same is stored the first time.
bool cacheCalls(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
