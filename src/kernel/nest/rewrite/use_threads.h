#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Runs the outermost loops with independent iterations on OpenMP threads.
bool useThreads(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
