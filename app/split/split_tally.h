#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/split/split_report.h"

namespace hone::app {

/// Totals of one way to split over all validated shapes.
struct Tally {
  std::int64_t shapes = 0;
  double baselineUs = 0, timeUs = 0;
  std::vector<double> speedups;
  std::map<stats::Verdict, std::int64_t> verdicts;

  /// Return the speedup over the baseline; nullopt if no shape was measured.
  [[nodiscard]] std::optional<double> total() const;
  [[nodiscard]] std::optional<double> geomean() const;
  [[nodiscard]] std::int64_t count(stats::Verdict verdict) const;
};

/// Returns the verdict; neutral if the choice equals the compiler's default.
[[nodiscard]] stats::Verdict decideVerdict(const split::ValidatedChoice& choice);

/// Tallies the way to split that `nameWay` names for each record; skips the record if it returns
/// "". Also skips records in which that way was not measured.
[[nodiscard]] Tally makeTally(
    const std::vector<split::ValidationRecord>& records,
    const std::function<std::string(const split::ValidationRecord&)>& nameWay);
[[nodiscard]] Tally makeTally(const std::vector<split::ValidationRecord>& records,
                              const std::string& way);

/// Returns the kinds of the swept shapes by their arguments.
[[nodiscard]] std::map<std::string, model::ReductionKind> kindsByArguments(
    const SplitOutcome& outcome);
/// Returns the ways to split that the validation compares.
[[nodiscard]] std::vector<const char*> validatedWays(const SplitOutcome& outcome);
/// Returns the recommended way to split for shapes of this kind.
[[nodiscard]] std::string recommendedWay(const SplitOutcome& outcome, model::ReductionKind kind);

}  // namespace hone::app
