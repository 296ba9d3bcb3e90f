#pragma once

#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// What can be chosen for a dispatch of the SPIR-V backend: the tile of a workgroup, that of a
/// thread (their ratio is the size of the workgroup), and how much is summed at a time. A dispatch
/// without knobs is a user error that says why.
[[nodiscard]] Result<KnobModel> vulkanKnobs(const model::RootOperation& root);

}  // namespace hone::knobs
