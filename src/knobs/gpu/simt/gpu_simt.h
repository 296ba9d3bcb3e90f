#pragma once

#include <vector>

#include "base/error.h"
#include "knobs/named_config.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Returns the tiles of IREE's former dispatch profiler for f32 matmuls on NVIDIA GPUs, computed by
/// fused multiply-adds of single threads from shared memory. IREE has no TF32 matrix instruction.
/// Empty for other operations and types.
[[nodiscard]] Result<std::vector<NamedConfig>> simtNamedConfigs(const model::RootOperation& root);

}  // namespace hone::knobs
