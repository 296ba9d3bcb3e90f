#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/verifier.h"
#include "model/result/config.h"
#include "model/result/outcome.h"
#include "stats/compare.h"

namespace hone::engine {

/// The result of one candidate of a plan.
struct Finding {
  std::string key;  ///< of its trial
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string artifact;
  std::string sameAs;  ///< the candidate whose binary is equal and was measured for both
  Against against = Against::nothing;
  double timeNs = 0;  ///< median of the last stage it took part in; 0 when never measured
  std::vector<double> roundTimesNs;             ///< of the final, one per round
  std::optional<stats::Comparison> comparison;  ///< with the baseline, for those in the final
};

/// Returns the fastest candidate that is proven to be faster than the baseline and never failed;
/// nullptr if there is none.
[[nodiscard]] const Finding* winnerOf(const std::vector<Finding>& findings);

}  // namespace hone::engine
