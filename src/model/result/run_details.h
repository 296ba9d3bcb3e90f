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

/// Calls per sample and samples per process.
struct MeasuringPace {
  std::int64_t iterations = 1;
  std::int64_t repetitions = 1;
  bool warmUp = true;

  bool operator==(const MeasuringPace&) const = default;
};

struct SearchedKnob {
  std::string name;
  bool ordered = true;  ///< neighbouring values perform alike

  bool operator==(const SearchedKnob&) const = default;
};

/// Costs of a cluster's scheduler.
struct ClusterCost {
  std::int64_t schedulerCalls = 0;
  std::int64_t filesWritten = 0;
  std::int64_t units = 0;
  std::int64_t requeued = 0;  ///< units reassigned to another worker
  std::int64_t headCpuNs = 0;
};

/// State of a run, stored for resuming it and for showing its progress.
struct RunDetails {
  std::map<std::string, MeasuringPace> paces;               ///< by "pace" or "pace SCOPE"
  std::map<std::string, std::vector<SearchedKnob>> spaces;  ///< for `tune`, by scope
  std::map<std::string, std::vector<KernelTurn>>
      kernels;                                ///< turns by kernel; "" for a single kernel
  std::map<std::string, KernelOutcome> done;  ///< for a batch of kernels
  std::optional<std::string> cluster;         ///< nodes and units, as text
  std::optional<ClusterCost> clusterCost;
  std::string others;  ///< members unknown to this version, as a JSON object; "" for none

  /// Compares the stored form.
  bool operator==(const RunDetails& other) const;
};

[[nodiscard]] nlohmann::json toJson(const RunDetails& details);
/// Decodes the details. Members this version cannot read are kept in `others`.
[[nodiscard]] RunDetails runDetailsFrom(const nlohmann::json& json);

}  // namespace hone::model
