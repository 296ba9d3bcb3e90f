#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "cluster/shared_files.h"
#include "engine/elsewhere.h"
#include "engine/experiment.h"

namespace hone::cluster {

/// A plan without its proposer and its time, with all files that it names shared.
[[nodiscard]] Result<nlohmann::json> toJson(const engine::Plan& plan, SharedFiles& files);
/// The plan as it was, its inputs made anew in the folder from its seed.
[[nodiscard]] Result<engine::Plan> planFrom(const nlohmann::json& json,
                                            const std::filesystem::path& folder);

[[nodiscard]] nlohmann::json toJson(const engine::PlanAnswer& answer);
[[nodiscard]] Result<engine::PlanAnswer> planAnswerFrom(const nlohmann::json& json);

[[nodiscard]] nlohmann::json toJson(const stats::Comparison& comparison);
[[nodiscard]] stats::Comparison comparisonFrom(const nlohmann::json& json);

}  // namespace hone::cluster
