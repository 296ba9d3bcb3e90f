#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/split/split_report.h"

namespace hone::app {

/// Over all shapes that a way to split was validated on.
struct Tally {
  std::int64_t shapes = 0;
  double baselineUs = 0, timeUs = 0;
  std::vector<double> speedups;
  std::map<stats::Verdict, std::int64_t> verdicts;

  [[nodiscard]] double total() const { return timeUs > 0 ? baselineUs / timeUs : 1; }
  [[nodiscard]] double geomean() const;
  [[nodiscard]] std::int64_t count(stats::Verdict verdict) const;
};

/// What is the compiler's own choice anyway is neutral.
[[nodiscard]] stats::Verdict verdictOf(const split::ValidatedChoice& choice);

/// The way to split of each record, by the name that `wayOf` gives it; records that it gives none
/// ("") are left out. A shape without that way (the oracle's, where nothing is faster) counts as
/// the baseline.
[[nodiscard]] Tally tallyOf(
    const std::vector<split::ValidationRecord>& records,
    const std::function<std::string(const split::ValidationRecord&)>& wayOf);
[[nodiscard]] Tally tallyOf(const std::vector<split::ValidationRecord>& records,
                            const std::string& way);

/// The kinds of the swept shapes, by their arguments.
[[nodiscard]] std::map<std::string, model::ReductionKind> kindsOf(const SplitOutcome& outcome);
/// The way of the ladder that is recommended for the shape's kind.
[[nodiscard]] std::string takenFor(const SplitOutcome& outcome, model::ReductionKind kind);

}  // namespace hone::app
