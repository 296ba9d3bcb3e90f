#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knobs/knob_model.h"

namespace hone::knobs {

/// The values of a knob for people: "0 (VectorDistribute)" where a value is the number of a
/// pipeline or of a matrix instruction, whose name the configuration of a point with it has.
[[nodiscard]] Result<std::vector<std::string>> valueNames(const KnobModel& model, std::size_t knob);

/// "TileAndFuse" of "… pipeline = #iree_gpu.pipeline<TileAndFuse> …" for the key "pipeline"; ""
/// where there is no such key.
[[nodiscard]] std::string nameIn(std::string_view compilationInfo, std::string_view key);

}  // namespace hone::knobs
