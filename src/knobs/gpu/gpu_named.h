#pragma once

#include "knobs/named_config.h"

namespace hone::knobs {

/// Returns the tiles of IREE's former dispatch profiler for matrix instructions, each mapped to the
/// nearest point that the compiler's constraints allow. An f32 matmul on CUDA has no matrix
/// instruction and gets the tiles of simtNamedConfigs(). Empty for other problems without matrix
/// instructions.
[[nodiscard]] Result<std::vector<NamedConfig>> gpuNamedConfigs(iree::Compiler& compiler,
                                                               const iree::Target& target,
                                                               const model::Problem& problem);

}  // namespace hone::knobs
