#pragma once

#include <nlohmann/json_fwd.hpp>

#include "stats/compare.h"

namespace hone::model {

[[nodiscard]] nlohmann::json toJson(const stats::Comparison& comparison);
/// Decodes a comparison; throws nlohmann::json::exception if a field is missing.
[[nodiscard]] stats::Comparison comparisonFrom(const nlohmann::json& json);

}  // namespace hone::model
