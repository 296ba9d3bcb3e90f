#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "base/error.h"
#include "engine/executor/unit.h"
#include "engine/plan/finding.h"
#include "engine/plan/plan.h"
#include "store/records.h"

namespace hone::engine {

/// Encodes a plan without its proposer and budget, and shares all files that it names.
[[nodiscard]] Result<nlohmann::json> toJson(const Plan& plan, FileShare& files);
/// Decodes a plan and generates its inputs in `folder` from its seed.
[[nodiscard]] Result<Plan> planFrom(const nlohmann::json& json,
                                    const std::filesystem::path& folder);

/// A candidate tried by another process.
struct TriedCandidate {
  store::TrialRecord record;
  std::vector<double> roundTimesNs;
  std::optional<stats::Comparison> comparison;
};

/// Result of a plan executed by another process.
struct PlanResult {
  std::vector<TriedCandidate> tried;  ///< in the order of the candidates, without those skipped
  std::optional<store::TrialRecord> twin;
};

/// Encodes the parts of findings that the store does not record.
[[nodiscard]] nlohmann::json toJson(const std::vector<Finding>& findings);
/// Joins encoded findings with the records of their trials.
[[nodiscard]] Result<PlanResult> planResultFrom(const nlohmann::json& findings,
                                                std::vector<store::TrialRecord> records);

}  // namespace hone::engine
