#include "search/strategy/replay.h"

#include <algorithm>
#include <limits>

#include "search/strategy/strategy.h"

namespace hone::search {
namespace {

Space toSpace(const Recording& recording) {
  std::vector<std::vector<std::int64_t>> points;
  points.reserve(recording.points.size());
  for (const RecordedPoint& point : recording.points) {
    points.push_back(point.values);
  }
  return {recording.knobs, std::move(points)};
}

StrategyOptions strategyOptions(const Recording& recording, const Space& space,
                                const ReplayOptions& options) {
  StrategyOptions given{.seed = options.seed};
  if (!options.useGuess) {
    return given;
  }
  for (const auto& values : recording.first) {
    if (const auto point = space.find(values)) {
      given.first.push_back(*point);
    }
  }
  const bool guessed =
      !recording.points.empty() &&
      std::all_of(recording.points.begin(), recording.points.end(),
                  [](const RecordedPoint& point) { return point.guess.has_value(); });
  if (guessed) {
    given.guess = [&recording](std::size_t point) { return *recording.points[point].guess; };
  }
  return given;
}

}  // namespace

Result<std::vector<double>> replay(const Recording& recording, std::string_view strategy,
                                   const ReplayOptions& options) {
  Recording sorted = recording;
  sorted.sort();
  const Space space = toSpace(sorted);
  const auto search =
      HONE_TRY(makeStrategy(strategy, space, strategyOptions(sorted, space, options)));
  const std::size_t most =
      options.trials == 0 ? space.size() : std::min(options.trials, space.size());
  std::vector<double> bestSoFar;
  double best = std::numeric_limits<double>::infinity();
  while (bestSoFar.size() < most) {
    const std::size_t count = std::max<std::size_t>(options.batch, 1);
    const std::vector<std::size_t> points = search->ask(std::min(count, most - bestSoFar.size()));
    if (points.empty()) {
      break;
    }
    for (const std::size_t point : points) {
      best = std::min(best, sorted.points[point].timeNs.value_or(best));
      bestSoFar.push_back(best);
    }
    for (const std::size_t point : points) {
      search->tell(point, sorted.points[point].timeNs);
    }
  }
  return bestSoFar;
}

std::optional<std::size_t> trialsUntil(const Recording& recording,
                                       const std::vector<double>& bestSoFar,
                                       double withinFraction) {
  const auto best = recording.best();
  if (!best) {
    return std::nullopt;
  }
  const double enough = *best * (1 + withinFraction);
  for (std::size_t i = 0; i < bestSoFar.size(); ++i) {
    if (bestSoFar[i] <= enough) {
      return i + 1;
    }
  }
  return std::nullopt;
}

}  // namespace hone::search
