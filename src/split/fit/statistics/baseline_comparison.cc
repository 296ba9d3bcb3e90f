#include "split/fit/statistics/baseline_comparison.h"

#include <algorithm>
#include <cmath>

namespace hone::split {
namespace {

constexpr double kSamePercent = 1;

void add(BaselineComparison& comparison, double baselineUs, double timeUs) {
  const double percent = 100 * (baselineUs - timeUs) / baselineUs;
  if (std::abs(percent) < kSamePercent) {
    ++comparison.same;
  } else if (percent > 0) {
    ++comparison.faster;
    comparison.averageImprovement += percent;
    comparison.largestImprovement = std::max(comparison.largestImprovement, percent);
  } else {
    ++comparison.slower;
    comparison.averageRegression -= percent;
    comparison.largestRegression = std::max(comparison.largestRegression, -percent);
  }
}

std::optional<Timing> findTiming(const ShapeResult& shape, std::optional<std::int64_t> limit) {
  if (!limit) {
    return shape.noSplit;
  }
  const auto at = shape.limits.find(*limit);
  return at == shape.limits.end() ? std::nullopt : std::optional(at->second);
}

BaselineComparison compared(const SweepResult& sweep, std::optional<std::int64_t> limit) {
  BaselineComparison comparison{limit};
  for (const ShapeResult& shape : sweep.shapes) {
    const std::optional<Timing> timing = findTiming(shape, limit);
    if (shape.baseline && timing) {
      add(comparison, shape.baseline->timeUs(), timing->timeUs());
    }
  }
  comparison.averageImprovement /=
      static_cast<double>(std::max<std::int64_t>(comparison.faster, 1));
  comparison.averageRegression /= static_cast<double>(std::max<std::int64_t>(comparison.slower, 1));
  return comparison;
}

}  // namespace

double BaselineComparison::winRate() const {
  return tests() == 0 ? 0 : 100 * static_cast<double>(faster) / static_cast<double>(tests());
}

BaselineComparisons compareToBaseline(const SweepResult& sweep) {
  BaselineComparisons comparisons;
  std::vector<std::optional<std::int64_t>> limits(sweep.limits.begin(), sweep.limits.end());
  limits.emplace_back(std::nullopt);
  for (const std::optional<std::int64_t> limit : limits) {
    if (const BaselineComparison comparison = compared(sweep, limit); comparison.tests() > 0) {
      comparisons.limits.push_back(comparison);
    }
  }
  comparisons.withoutBaseline =
      std::count_if(sweep.shapes.begin(), sweep.shapes.end(),
                    [](const ShapeResult& shape) { return !shape.baseline; });
  return comparisons;
}

}  // namespace hone::split
