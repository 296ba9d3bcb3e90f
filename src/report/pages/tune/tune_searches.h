#pragma once

#include <string>
#include <vector>

#include "model/result/summary/tune_result.h"
#include "report/data/run_record.h"

namespace hone::report {

/// The search of one dispatch's knobs, as its trials tell it.
struct TuneSearch {
  std::string scope;  ///< what its trials are marked with: the dispatch, and the flags it was under
  std::vector<std::string> knobs;
  std::vector<const store::Trial*> trials;  ///< without the default and its twin
  double defaultNs = 0;                     ///< in screening
  std::string winner;                       ///< the config's name; "" where the default stays

  /// Over the compiler's own choice, by the times of screening: a look, no proof. NaN: not timed.
  [[nodiscard]] double speedupOf(const store::Trial& trial) const;
};

/// One for each dispatch that was searched; the order in which they began.
[[nodiscard]] std::vector<TuneSearch> searchesOf(const RunRecord& record,
                                                 const model::TuneResult& result);

/// Without the program's name before it, which says nothing in a page about one program.
[[nodiscard]] std::string shortDispatch(const std::string& name);

/// How the best grew, over trials and over time.
void addProgress(const RunRecord& record, const std::vector<TuneSearch>& searches,
                 Document& document);

}  // namespace hone::report
