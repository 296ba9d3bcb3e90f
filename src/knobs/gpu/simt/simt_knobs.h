#pragma once

#include "knobs/gpu/gpu_limits.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Builds the knobs of a dispatch without matrix instructions on an AMD or NVIDIA GPU: tiles of
/// workgroups and threads, the reduction's step, the grids of lanes and subgroups, the subgroup
/// size, shared memory, and the pipeline.
///
/// The compiler states no constraints for these dispatches: it may refuse some points. Fails with a
/// user error that says why if the dispatch has no knobs.
[[nodiscard]] Result<KnobModel> simtKnobs(const model::RootOperation& root,
                                          const GpuLimits& limits);

}  // namespace hone::knobs
