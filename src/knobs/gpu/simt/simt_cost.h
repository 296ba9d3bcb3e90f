#pragma once

#include "knobs/gpu/simt/simt_config.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Estimates the time of a dispatch without matrix instructions: arithmetic or memory traffic,
/// whichever is longer. Counts the loads per multiply, loads that threads do not coalesce, waste at
/// the edges, and units of the GPU without work. Use it only to rank configurations of one
/// operation.
[[nodiscard]] double simtCost(const model::RootOperation& root, const SimtConfig& config);

}  // namespace hone::knobs
