#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

/// Comparison of one limit with the compiler's default over the shapes with times for both.
/// Differences below 1 % count as equal.
struct BaselineComparison {
  std::optional<std::int64_t> limit;  ///< nullopt: no split
  std::int64_t faster = 0, slower = 0, same = 0;
  /// In percent of the baseline's time, over the faster and the slower shapes.
  double averageImprovement = 0, largestImprovement = 0;
  double averageRegression = 0, largestRegression = 0;

  [[nodiscard]] std::int64_t tests() const { return faster + slower + same; }
  /// Returns the win rate in percent; 0 if there is nothing to compare.
  [[nodiscard]] double winRate() const;
};

struct BaselineComparisons {
  std::vector<BaselineComparison> limits;  ///< in ascending order, no split last
  std::int64_t withoutBaseline = 0;        ///< omitted shapes
};

/// Compares each limit with the baseline. The result has no limits if no shape has a baseline.
[[nodiscard]] BaselineComparisons compareToBaseline(const SweepResult& sweep);

}  // namespace hone::split
