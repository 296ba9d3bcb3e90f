#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/result/summary/kernel_result.h"
#include "model/result/summary/kernel_turn.h"

namespace hone::model {

/// How often a call is repeated for one sample, and how many samples a process takes.
struct MeasuringPace {
  std::int64_t iterations = 1;
  std::int64_t repetitions = 1;
  bool warmUp = true;

  bool operator==(const MeasuringPace&) const = default;
};

struct SearchedKnob {
  std::string name;
  bool ordered = true;  ///< near values behave alike

  bool operator==(const SearchedKnob&) const = default;
};

/// The expense of a cluster's scheduler.
struct ClusterCost {
  std::int64_t schedulerCalls = 0;
  std::int64_t filesWritten = 0;
  std::int64_t units = 0;
  std::int64_t givenBack = 0;  ///< units that another worker had to take over
  std::int64_t headCpuNs = 0;
};

/// What a run keeps on its way, to be resumed and to be shown while it is under way.
struct RunDetails {
  std::map<std::string, MeasuringPace> paces;               ///< by "pace" or "pace SCOPE"
  std::map<std::string, std::vector<SearchedKnob>> spaces;  ///< of `tune`, by scope
  std::map<std::string, std::vector<KernelTurn>> kernels;   ///< turns by kernel; "": the only one
  std::map<std::string, KernelOutcome> done;                ///< of a batch of kernels
  std::optional<std::string> cluster;                       ///< nodes and units, for people
  std::optional<ClusterCost> clusterCost;
  std::string others;  ///< members that this version does not know, as a JSON object; "" for none

  /// Compares what is stored.
  bool operator==(const RunDetails& other) const;
};

[[nodiscard]] nlohmann::json toJson(const RunDetails& details);
/// Keeps a member of a form that this version does not know among the others.
[[nodiscard]] RunDetails runDetailsFrom(const nlohmann::json& json);

}  // namespace hone::model
