#pragma once

#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Builds the knobs of a SPIR-V dispatch: the workgroup's tile, the thread's tile (their ratio is
/// the workgroup size) and the reduction tile. Fails with a user error that says why if the
/// dispatch has no knobs.
[[nodiscard]] Result<KnobModel> vulkanKnobs(const model::RootOperation& root);

}  // namespace hone::knobs
