#pragma once

#include "knobs/cpu/cpu_limits.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// What can be chosen for a dispatch of the CPU backend, which has no constraints of its own:
/// hone's model of it. A dispatch without knobs is a user error that says why.
[[nodiscard]] Result<KnobModel> cpuKnobs(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
