#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/compare.h"

namespace hone::split {

/// Returns the verdict by the times alone: more than 5 % faster or slower than the baseline, or
/// neutral.
[[nodiscard]] stats::Verdict compareTimes(double baselineUs, double timeUs);

/// A shape measured with the compiler's and with the recommended code.
struct ValidatedShape {
  std::string arguments;
  double baselineUs = 0;
  double optimizedUs = 0;
  std::optional<stats::Interval> speedup;  ///< absent for files with times only
  stats::Verdict verdict = stats::Verdict::neutral;
};

/// Measured results of the recommended heuristics.
struct Validation {
  std::vector<ValidatedShape> shapes;
  std::int64_t withoutBaseline = 0;  ///< shapes without a time to compare with
  std::int64_t failed = 0;           ///< shapes that ran with the compiler's code only

  [[nodiscard]] std::int64_t count(stats::Verdict verdict) const;
};

}  // namespace hone::split
