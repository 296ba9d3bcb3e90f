#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/result/outcome.h"
#include "stats/compare.h"

namespace hone::model {

struct TimeRange {
  double lowNs = 0;
  double highNs = 0;

  bool operator==(const TimeRange&) const = default;
};

/// A candidate of a bench and its comparison with the baseline, the first candidate.
struct BenchCandidate {
  std::string name;
  std::optional<Outcome> outcome;
  std::string message;
  std::string artifact;
  std::string verified;          ///< reference the results were compared with
  std::string sameAs;            ///< key of the trial with an identical binary, measured for both
  std::optional<double> timeNs;  ///< in the last stage that the candidate reached
  /// Speedup over the baseline in that stage, without an interval; absent for finalists.
  std::optional<double> estimatedSpeedup;
  std::optional<TimeRange> timeInterval;  ///< 95 % CI from the final rounds
  std::optional<stats::Verdict> verdict;  ///< this and the members below: finalists only
  std::optional<stats::Interval> speedup;
  std::optional<double> noiseFloor;
  std::optional<std::int64_t> rounds;
};

/// Summary of a run of `hone bench`.
struct BenchResult {
  std::optional<std::int64_t> run;
  std::string target;
  std::string device;
  std::string rankedBy;  ///< "cpu" or "wall"
  std::vector<BenchCandidate> candidates;
  std::optional<std::int64_t> ownCpuNs;  ///< CPU time of hone itself
};

[[nodiscard]] nlohmann::json toJson(const BenchResult& result);
[[nodiscard]] Result<BenchResult> benchResultFrom(const nlohmann::json& json);

}  // namespace hone::model
