#pragma once

#include <optional>

#include "knobs/gpu/gpu_limits.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Builds the knobs of a product for which the compiler uses a matrix instruction but states no
/// constraints, such as a batch matmul. Varies the grid of subgroups and the tiles of each,
/// with the compiler's instruction. Nothing if the default has another form.
[[nodiscard]] std::optional<KnobModel> matrixKnobs(const model::RootOperation& root,
                                                   const GpuLimits& limits);

}  // namespace hone::knobs
