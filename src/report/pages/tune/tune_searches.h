#pragma once

#include <string>
#include <vector>

#include "model/result/summary/tune_result.h"
#include "report/data/run_record.h"
#include "report/render/tune_reasons.h"

namespace hone::report {

/// Search over the knobs of one dispatch, reconstructed from its trials.
struct TuneSearch {
  std::string scope;  ///< scope of its trials: the dispatch and its flags
  std::vector<std::string> knobs;
  std::vector<const store::Trial*> trials;  ///< without the default and its repetition
  double defaultNs = 0;                     ///< in screening
  std::string winner;                       ///< name of the config; empty if the default is kept

  /// Returns the speedup over the default in screening (not proven); NaN if not timed.
  [[nodiscard]] double computeSpeedup(const store::Trial& trial) const;
};

/// Returns one search per searched dispatch, in order of their start.
[[nodiscard]] std::vector<TuneSearch> collectSearches(const RunRecord& record,
                                                      const model::TuneResult& result);

/// Adds plots of the best candidate over trials and over time.
void addProgress(const RunRecord& record, const std::vector<TuneSearch>& searches,
                 Document& document);

}  // namespace hone::report
