#include "split/fit/simulate.h"

#include <algorithm>
#include <vector>

#include "split/fit/rule.h"
#include "split/sweep/validation/validation.h"
#include "stats/summary.h"

namespace hone::split {
namespace {

/// Returns the geometric mean; 1 (no change) for an empty set.
double geomeanRatio(std::span<const double> ratios) {
  return ratios.empty() ? 1 : stats::geometricMean(ratios);
}

}  // namespace

std::optional<LimitTime> fastestLimit(const ShapeResult& shape) {
  std::optional<LimitTime> fastest;
  for (const auto& [limit, timing] : shape.limits) {
    if (!fastest || timing.timeUs() < fastest->timeUs) {
      fastest = {limit, timing.timeUs()};
    }
  }
  return fastest;
}

std::optional<LimitTime> slowestLimit(const ShapeResult& shape) {
  std::optional<LimitTime> slowest;
  for (const auto& [limit, timing] : shape.limits) {
    if (!slowest || timing.timeUs() > slowest->timeUs) {
      slowest = {limit, timing.timeUs()};
    }
  }
  return slowest;
}

std::optional<double> bestUs(const ShapeResult& shape) {
  const auto fastest = fastestLimit(shape);
  std::optional<double> best = fastest ? std::optional(fastest->timeUs) : std::nullopt;
  for (const std::optional<Timing>& other : {shape.baseline, shape.noSplit}) {
    if (other && (!best || other->timeUs() < *best)) {
      best = other->timeUs();
    }
  }
  return best;
}

std::optional<double> measuredUs(const ShapeResult& shape, std::optional<std::int64_t> limit) {
  if (limit && shape.limits.contains(*limit)) {
    return shape.limits.at(*limit).timeUs();
  }
  if (!limit && shape.noSplit) {
    return shape.noSplit->timeUs();
  }
  const std::vector<std::int64_t> wanted = sizesUnder(shape.reduction, limit);
  for (const auto& [other, timing] : shape.limits) {
    if (sizesUnder(shape.reduction, other) == wanted) {
      return timing.timeUs();
    }
  }
  return shape.noSplit && wanted.empty() ? std::optional(shape.noSplit->timeUs()) : std::nullopt;
}

Prediction predict(const Heuristic& heuristic, const ShapeResult& shape) {
  return {&shape, measuredUs(shape, chooseLimit(heuristic, shape.reduction))};
}

Regret computeRegret(std::span<const Prediction> predictions) {
  Regret regret;
  std::vector<double> ratios;
  std::vector<double> speedups;
  for (const Prediction& prediction : predictions) {
    const auto best = bestUs(*prediction.shape);
    if (!prediction.timeUs || !best) {
      ++regret.unknown;
      continue;
    }
    ++regret.shapes;
    ratios.push_back(*prediction.timeUs / *best);
    regret.totalUs += *prediction.timeUs;
    regret.bestTotalUs += *best;
    regret.worstRatio = std::max(regret.worstRatio, ratios.back());
    if (const std::optional<Timing>& baseline = prediction.shape->baseline) {
      const stats::Verdict verdict = compareTimes(baseline->timeUs(), *prediction.timeUs);
      regret.improved += verdict == stats::Verdict::improved ? 1 : 0;
      regret.neutral += verdict == stats::Verdict::neutral ? 1 : 0;
      regret.regressed += verdict == stats::Verdict::regressed ? 1 : 0;
      speedups.push_back(baseline->timeUs() / *prediction.timeUs);
    }
  }
  regret.geomeanRatio = geomeanRatio(ratios);
  regret.speedup = geomeanRatio(speedups);
  return regret;
}

}  // namespace hone::split
