#pragma once

#include <vector>

#include "profile/tuning.h"

namespace hone::profile {

/// The tiles of IREE's dispatch profiler for matrix instructions, as far as the compiler's own
/// constraints allow them: each is the assignment nearest to the one of old. Empty where the
/// compiler has no constraints for the problem.
[[nodiscard]] Result<std::vector<TuningConfig>> gpuConfigs(iree::Compiler& compiler,
                                                           const iree::Target& target,
                                                           const model::Problem& problem);

}  // namespace hone::profile
