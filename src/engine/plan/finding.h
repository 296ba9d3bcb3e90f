#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/verifier.h"
#include "model/result/config.h"
#include "model/result/outcome.h"
#include "stats/compare.h"

namespace hone::engine {

/// Result of one candidate of a plan.
struct Finding {
  std::string key;  ///< key of the trial
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string artifact;
  std::string sameAs;  ///< candidate with the same binary, measured for both
  Expectation expectation = Expectation::nothing;
  std::int64_t compileWallNs = 0;  ///< 0 if the module was cached
  double timeNs = 0;  ///< minimum of screening or median of a later stage; 0 if never measured
  /// Speedup over the baseline in the last stage, without an interval; absent for finalists.
  std::optional<double> estimatedSpeedup;
  std::vector<double> roundTimesNs;             ///< times in the final, one per round
  std::optional<stats::Comparison> comparison;  ///< with the baseline, for finalists
};

/// Returns the fastest candidate that is proven faster than the baseline and never failed, or
/// nullptr if there is none.
[[nodiscard]] const Finding* findWinner(const std::vector<Finding>& findings);

}  // namespace hone::engine
