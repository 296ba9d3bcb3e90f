#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

/// One limit against the compiler's own choice, over the shapes that have a time for both. Less
/// than 1 % of difference is the same.
struct BaselineComparison {
  std::optional<std::int64_t> limit;  ///< nothing: without any split
  std::int64_t faster = 0, slower = 0, same = 0;
  /// In percent of the baseline's time, over the faster shapes and over the slower ones.
  double averageImprovement = 0, largestImprovement = 0;
  double averageRegression = 0, largestRegression = 0;

  [[nodiscard]] std::int64_t tests() const { return faster + slower + same; }
  /// In percent; 0 where nothing could be compared.
  [[nodiscard]] double winRate() const;
};

struct BaselineComparisons {
  std::vector<BaselineComparison> limits;  ///< in ascending order, no split last
  std::int64_t withoutBaseline = 0;        ///< shapes left out
};

/// No limits where no shape has a baseline.
[[nodiscard]] BaselineComparisons compareToBaseline(const SweepResult& sweep);

}  // namespace hone::split
