#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Computes mean and variance in one pass. Shifts the data by the first element to avoid
/// cancellation.
bool onePassStatistics(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
