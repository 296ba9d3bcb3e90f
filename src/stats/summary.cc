#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace hone::stats {
namespace {

/// Scales the median absolute deviation of a normal distribution to its standard deviation.
constexpr double kMadToDeviation = 1.4826022185056018;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  std::sort(out.begin(), out.end());
  return out;
}

double quantileOfSorted(std::span<const double> ordered, double q) {
  if (ordered.empty()) {
    return 0;
  }
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], place - std::floor(place));
}

double arithmeticMean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sampleDeviation(std::span<const double> values, double mean) {
  if (values.size() < 2) {
    return 0;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

double quantile(std::span<const double> values, double q) {
  return quantileOfSorted(sorted(values), q);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double geometricMean(std::span<const double> values) {
  if (values.empty()) {
    return 0;
  }
  double logs = 0;
  for (const double value : values) {
    logs += std::log(value);
  }
  return std::exp(logs / static_cast<double>(values.size()));
}

Summary summarize(std::span<const double> values) {
  if (values.empty()) {
    return {};
  }
  const std::vector<double> ordered = sorted(values);
  Summary summary{.count = values.size(), .min = ordered.front(), .max = ordered.back()};
  summary.mean = arithmeticMean(ordered);
  summary.stddev = sampleDeviation(ordered, summary.mean);
  summary.median = quantileOfSorted(ordered, 0.5);
  summary.p05 = quantileOfSorted(ordered, 0.05);
  summary.p95 = quantileOfSorted(ordered, 0.95);
  std::vector<double> distances;
  distances.reserve(ordered.size());
  for (const double value : ordered) {
    distances.push_back(std::abs(value - summary.median));
  }
  summary.mad = kMadToDeviation * median(distances);
  return summary;
}

std::vector<double> pairedSpeedups(const std::map<std::int64_t, double>& baseline,
                                   const std::map<std::int64_t, double>& times) {
  std::vector<double> ratios;
  for (const auto& [round, time] : times) {
    if (const auto other = baseline.find(round); other != baseline.end()) {
      ratios.push_back(other->second / time);
    }
  }
  return ratios;
}

}  // namespace hone::stats
