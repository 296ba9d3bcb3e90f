#pragma once

#include "knobs/cpu/cpu_limits.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Builds hone's model of the knobs of a CPU dispatch; the CPU backend exports no constraints.
/// Fails with a user error that says why if the dispatch has no knobs.
[[nodiscard]] Result<KnobModel> cpuKnobs(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
