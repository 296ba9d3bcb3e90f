#include "search/space/features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone::search {
namespace {

/// Returns the logarithms; infinity for values that are not positive numbers.
std::vector<double> logarithms(std::size_t points,
                               const std::function<double(std::size_t)>& guess) {
  std::vector<double> logs(points);
  for (std::size_t point = 0; point < points; ++point) {
    const double cost = guess(point);
    logs[point] =
        cost > 0 && std::isfinite(cost) ? std::log(cost) : std::numeric_limits<double>::infinity();
  }
  return logs;
}

/// Scaled guess of points far beyond the median, or without a guess.
constexpr double kWorst = 2.0;

struct Scale {
  double best = 0;
  /// Distance from the best to the median of the finite values; positive.
  double range = 1;
};

Scale scaleToMedian(std::vector<double> logs) {
  std::erase_if(logs, [](double log) { return !std::isfinite(log); });
  if (logs.empty()) {
    return {};
  }
  std::ranges::sort(logs);
  return {.best = logs.front(), .range = std::max(logs[logs.size() / 2] - logs.front(), 1e-9)};
}

}  // namespace

Features::Features(const Coordinates& coordinates,
                   const std::function<double(std::size_t)>& guess) {
  for (std::size_t i = 0; i < coordinates.dimensions(); ++i) {
    ordered_.push_back(coordinates.ordered(i));
  }
  const std::size_t points = coordinates.size();
  std::vector<float> guessed;
  if (guess && points > 0) {
    const std::vector<double> logs = logarithms(points, guess);
    byGuess_.resize(points);
    std::iota(byGuess_.begin(), byGuess_.end(), std::size_t{0});
    std::stable_sort(byGuess_.begin(), byGuess_.end(),
                     [&](std::size_t a, std::size_t b) { return logs[a] < logs[b]; });
    const Scale scale = scaleToMedian(logs);
    for (const double log : logs) {
      guessed.push_back(static_cast<float>(std::min((log - scale.best) / scale.range, kWorst)));
    }
    ordered_.push_back(true);
  }
  rows_.reserve(points * width());
  for (std::size_t point = 0; point < points; ++point) {
    const auto row = coordinates.of(point);
    rows_.insert(rows_.end(), row.begin(), row.end());
    if (!guessed.empty()) {
      rows_.push_back(guessed[point]);
    }
  }
}

}  // namespace hone::search
