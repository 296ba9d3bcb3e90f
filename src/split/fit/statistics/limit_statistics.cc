#include "split/fit/statistics/limit_statistics.h"

#include <algorithm>

#include "stats/summary.h"

namespace hone::split {
namespace {

/// Returns the time at index int(0.95 * count), for compatibility with earlier tools.
double computeP95(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto index = static_cast<std::size_t>(0.95 * static_cast<double>(times.size()));
  return times[std::min(index, times.size() - 1)];
}

LimitStatistics computeStatistics(std::int64_t limit, const std::vector<double>& times) {
  const stats::Summary summary = stats::summarize(times);
  return {limit,
          stats::geometricMean(times),
          summary.mean,
          summary.median,
          computeP95(times),
          summary.mean * static_cast<double>(times.size())};
}

}  // namespace

LimitRanking rankLimits(const SweepResult& sweep) {
  LimitRanking ranking;
  std::vector<std::int64_t> limits;
  for (const std::int64_t limit : sweep.limits) {
    const bool measured =
        std::any_of(sweep.shapes.begin(), sweep.shapes.end(),
                    [&](const ShapeResult& shape) { return shape.limits.contains(limit); });
    (measured ? limits : ranking.failed).push_back(limit);
  }
  std::vector<const ShapeResult*> compared;
  for (const ShapeResult& shape : sweep.shapes) {
    if (!limits.empty() && std::all_of(limits.begin(), limits.end(), [&](std::int64_t limit) {
          return shape.limits.contains(limit);
        })) {
      compared.push_back(&shape);
    }
  }
  ranking.shapes = static_cast<std::int64_t>(compared.size());
  for (const std::int64_t limit : limits) {
    std::vector<double> times;
    std::transform(compared.begin(), compared.end(), std::back_inserter(times),
                   [&](const ShapeResult* shape) { return shape->limits.at(limit).meanUs; });
    if (!times.empty()) {
      ranking.limits.push_back(computeStatistics(limit, times));
    }
  }
  std::stable_sort(
      ranking.limits.begin(), ranking.limits.end(),
      [](const LimitStatistics& a, const LimitStatistics& b) { return a.geomeanUs < b.geomeanUs; });
  return ranking;
}

}  // namespace hone::split
