#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace hone::stats {

/// Descriptive statistics of a sample. All zero for an empty sample.
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
/// Returns the quantile `q` in [0, 1], interpolated linearly between order statistics; 0 for no
/// values.
[[nodiscard]] double quantile(std::span<const double> values, double q);
/// Computes the geometric mean via logs, so it neither overflows nor underflows. Values must be
/// positive.
[[nodiscard]] double geometricMean(std::span<const double> values);
/// Returns baseline / time for each round that both have.
[[nodiscard]] std::vector<double> pairedSpeedups(const std::map<std::int64_t, double>& baseline,
                                                 const std::map<std::int64_t, double>& times);

}  // namespace hone::stats
