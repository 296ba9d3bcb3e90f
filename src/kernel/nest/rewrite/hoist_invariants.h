#pragma once

#include "kernel/nest/nest.h"
#include "kernel/nest/rewrite/knobs.h"

namespace hone::kernel::nest {

/// Divisions by, and functions of, what stays the same in the innermost loop move out of it.
bool hoistInvariants(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
