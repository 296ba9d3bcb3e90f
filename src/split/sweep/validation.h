#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/compare.h"

namespace hone::split {

/// By the times alone: more than 5 % faster or slower than the baseline, or neutral.
[[nodiscard]] stats::Verdict verdictOf(double baselineUs, double timeUs);

/// A shape under the compiler's own code and under the recommended one, both measured.
struct ValidatedShape {
  std::string arguments;
  double baselineUs = 0;
  double optimizedUs = 0;
  std::optional<stats::Interval> speedup;  ///< none of files that have times only
  stats::Verdict verdict = stats::Verdict::neutral;
};

/// What the recommended heuristics did when they were measured.
struct Validation {
  std::vector<ValidatedShape> shapes;
  std::int64_t withoutBaseline = 0;  ///< shapes that could not be compared
  std::int64_t failed = 0;           ///< shapes that ran under the compiler's code only

  [[nodiscard]] std::int64_t count(stats::Verdict verdict) const;
};

}  // namespace hone::split
