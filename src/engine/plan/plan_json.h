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

/// Encodes a plan without its proposer and its budget, with all files that it names shared.
[[nodiscard]] Result<nlohmann::json> toJson(const Plan& plan, FileShare& files);
/// Decodes a plan; makes its inputs anew in the folder from its seed.
[[nodiscard]] Result<Plan> planFrom(const nlohmann::json& json,
                                    const std::filesystem::path& folder);

/// A candidate that another process tried.
struct TriedCandidate {
  store::TrialRecord record;
  std::vector<double> roundTimesNs;
  std::optional<stats::Comparison> comparison;
};

/// The result of a plan that another process carried out.
struct PlanResult {
  std::vector<TriedCandidate> tried;  ///< in the order of the candidates; none beyond the budget
  std::optional<store::TrialRecord> twin;
};

/// Encodes what the store does not record of findings.
[[nodiscard]] nlohmann::json toJson(const std::vector<Finding>& findings);
/// Joins encoded findings with the records of their trials.
[[nodiscard]] Result<PlanResult> planResultFrom(const nlohmann::json& findings,
                                                std::vector<store::TrialRecord> records);

}  // namespace hone::engine
