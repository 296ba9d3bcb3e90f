#pragma once

#include <cstddef>
#include <span>

namespace hone::stats {

/// Robust and plain figures of one set of numbers. All zero for an empty set.
struct Summary {
  std::size_t count = 0;
  double min = 0, max = 0;
  double mean = 0, stddev = 0;
  double median = 0;
  double mad = 0;  ///< median absolute deviation, scaled to a standard deviation
  double p05 = 0, p95 = 0;
};

[[nodiscard]] Summary summarize(std::span<const double> values);
[[nodiscard]] double median(std::span<const double> values);
/// Linear interpolation between order statistics; q in [0, 1].
[[nodiscard]] double quantile(std::span<const double> values, double q);
/// Through logs, so that it neither overflows nor underflows. Values must be positive.
[[nodiscard]] double geometricMean(std::span<const double> values);

}  // namespace hone::stats
