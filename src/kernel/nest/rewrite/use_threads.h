#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// The outermost loop whose rounds do not touch each other's data runs on `threads` threads.
bool useThreads(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
