#pragma once

#include "model/problem/root_operation.h"
#include "tune/cpu/cpu_limits.h"
#include "tune/knobs/knob_model.h"

namespace hone::tune {

/// What can be chosen for a dispatch of the CPU backend, which has no constraints of its own:
/// hone's model of it. A dispatch without knobs is a user error that says why.
[[nodiscard]] Result<KnobModel> cpuKnobs(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::tune
