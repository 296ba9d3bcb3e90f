#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knobs/knob_model.h"

namespace hone::knobs {

/// Formats the values of a knob. The index of a pipeline or matrix instruction is followed by its
/// name, taken from a point's configuration: "0 (VectorDistribute)".
[[nodiscard]] Result<std::vector<std::string>> valueNames(const KnobModel& model, std::size_t knob);

/// Returns "TileAndFuse" for the key "pipeline" in "… pipeline = #iree_gpu.pipeline<TileAndFuse>
/// …"; "" if the key is missing.
[[nodiscard]] std::string parseAttributeName(std::string_view compilationInfo,
                                             std::string_view key);

}  // namespace hone::knobs
