#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/result/summary/kernel_turn.h"
#include "model/result/summary/profile_row.h"

namespace hone::model {

/// What a search knew about a candidate when it proposed it.
struct ProposalNote {
  std::optional<double> guess;  ///< the predicted time, on a scale that only the search knows

  bool operator==(const ProposalNote&) const = default;
};

/// What a trial carries beside its outcome. Each kind of run fills its part.
struct TrialDetails {
  // Of every candidate that IREE compiled:
  std::optional<bool> cached;            ///< the compiled module was in the cache
  std::optional<std::int64_t> atMs;      ///< when it was tried, in Unix time
  std::string scope;                     ///< the search that it belongs to; "" if there is one
  std::optional<ProposalNote> proposal;  ///< of those that a search proposed
  std::string sameAs;                    ///< key of the trial whose binary is equal
  std::string verified;                  ///< what its results were compared with
  std::optional<bool> passed;            ///< in screening
  std::optional<double> screenNs;        ///< its time there; 0 of older versions: not measured
  bool twin = false;                     ///< the baseline measured again, for the noise
  std::optional<double> nodeBaselineNs;  ///< the baseline on the node that screened it
  // Of splits:
  std::optional<std::vector<double>> screenTimesNs;  ///< of its screening; empty: it was stopped
  // Of kernels:
  std::optional<KernelProposal> kernel;
  std::optional<std::int64_t> turn;  ///< 0: the original
  std::string facts;                 ///< of the judge, as a JSON object; "" for none
  // Of profiles:
  std::optional<ProfileRow> row;
  std::string others;  ///< members that this version does not know, as a JSON object; "" for none

  bool operator==(const TrialDetails&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const TrialDetails& details);
/// Keeps a member of a form that this version does not know among the others.
[[nodiscard]] TrialDetails trialDetailsFrom(const nlohmann::json& json);

}  // namespace hone::model
