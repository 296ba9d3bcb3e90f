#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/result/summary/kernel_turn.h"
#include "model/result/summary/profile_row.h"

namespace hone::model {

/// The search's prediction for a candidate at the time it proposed it.
struct ProposalNote {
  std::optional<double> guess;  ///< predicted time, in units private to the search

  bool operator==(const ProposalNote&) const = default;
};

/// Data of a trial beyond its outcome. Each kind of run fills its own part.
struct TrialDetails {
  // For every candidate that IREE compiled:
  std::optional<bool> cached;            ///< the compiled module was in the cache
  std::optional<std::int64_t> atMs;      ///< Unix time of the trial
  std::string scope;                     ///< the search it belongs to; "" if there is only one
  std::optional<ProposalNote> proposal;  ///< set for candidates that a search proposed
  std::string sameAs;                    ///< key of the trial with an identical binary
  std::string verified;                  ///< reference the results were compared with
  std::optional<bool> passed;            ///< passed screening
  std::optional<double> screenNs;        ///< time in screening; 0 (older versions): not measured
  bool twin = false;                     ///< the baseline measured again, to estimate noise
  std::optional<double> nodeBaselineNs;  ///< baseline time on the node that screened it
  // For splits:
  std::optional<std::vector<double>>
      screenTimesNs;  ///< screening samples; empty: the screening was stopped
  // For kernels:
  std::optional<KernelProposal> kernel;
  std::optional<std::int64_t> turn;  ///< 0: the original kernel
  std::string facts;                 ///< facts from the judge, as a JSON object; "" for none
  // For profiles:
  std::optional<ProfileRow> row;
  std::string others;  ///< members unknown to this version, as a JSON object; "" for none

  bool operator==(const TrialDetails&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const TrialDetails& details);
/// Decodes the details. Members this version cannot read are kept in `others`.
[[nodiscard]] TrialDetails trialDetailsFrom(const nlohmann::json& json);

}  // namespace hone::model
