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
    // Scale the distance from best to median to 1; differences far beyond that do not matter.
    const double best = logs[byGuess_.front()];
    const double range = std::max(logs[byGuess_[points / 2]] - best, 1e-9);
    for (const double log : logs) {
      guessed.push_back(static_cast<float>(std::min((log - best) / range, 2.0)));
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
