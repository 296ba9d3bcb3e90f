#pragma once

#include "knobs/named_config.h"

namespace hone::knobs {

/// Returns the tiles of IREE's dispatch profiler for matrix instructions, as far as the compiler's
/// own constraints allow them: each is the point nearest to the one of old. Empty where the
/// compiler has no constraints for the problem.
[[nodiscard]] Result<std::vector<NamedConfig>> gpuNamedConfigs(iree::Compiler& compiler,
                                                               const iree::Target& target,
                                                               const model::Problem& problem);

}  // namespace hone::knobs
