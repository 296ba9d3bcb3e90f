#pragma once

#include "model/problem/root_operation.h"
#include "tune/knobs/knob_model.h"

namespace hone::tune {

/// What can be chosen for a dispatch of the SPIR-V backend: the tile of a workgroup, that of a
/// thread (their ratio is the size of the workgroup), and how much is summed at a time. A dispatch
/// without knobs is a user error that says why.
[[nodiscard]] Result<KnobModel> vulkanKnobs(const model::RootOperation& root);

}  // namespace hone::tune
