#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Mean and variance in one pass over the data, shifted by the first element so that nothing
/// cancels.
bool onePassStatistics(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
