#include "search/strategy/guided.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/space/diverse.h"

namespace hone::search {
namespace {

/// Spread points to try before the learner is used.
constexpr std::size_t kSpreadPoints = 5;
/// Listed in advance; more are needed if many fail or many are requested at once.
constexpr std::size_t kMaxFirstPoints = 64;
/// The spread is over this fraction (1/16) of the points, the best by the static model.
constexpr std::size_t kLikelyFraction = 16;
constexpr std::size_t kMinLikely = 24;
/// Controls how fast the gain of a point recovers with its distance from points chosen in the same
/// batch.
constexpr float kBatchSpread = 4;

/// Returns points spread over the best by the static model, with every third from the whole space.
/// Without a model, all are from the whole space.
std::vector<std::size_t> spreadPoints(const Coordinates& coordinates, const Features& features,
                                      std::uint64_t seed) {
  std::vector<std::size_t> all(coordinates.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> everywhere = diversePoints(coordinates, all, kMaxFirstPoints, seed);
  if (features.byGuess().empty()) {
    return everywhere;
  }
  std::vector<std::size_t> likely = features.byGuess();
  likely.resize(std::min(likely.size(), std::max(likely.size() / kLikelyFraction, kMinLikely)));
  const std::size_t likeliest = likely.front();
  likely = diversePoints(coordinates, std::move(likely), kMaxFirstPoints, seed);
  likely.insert(likely.begin(), likeliest);
  std::vector<std::size_t> mixed;
  for (std::size_t i = 0; i < std::max(likely.size(), everywhere.size()); ++i) {
    if (i < likely.size()) {
      mixed.push_back(likely[i]);
    }
    if (i % 2 == 1 && i / 2 < everywhere.size()) {
      mixed.push_back(everywhere[i / 2]);
    }
  }
  return mixed;
}

}  // namespace

Guided::Guided(const Space& space, const StrategyOptions& options)
    : coordinates_(space),
      features_(coordinates_, options.guess),
      neighbours_(coordinates_),
      random_(options.seed),
      trials_(space.size()),
      initial_(options.first),
      givenInitial_(initial_.size()) {
  const std::vector<std::size_t> spread = spreadPoints(coordinates_, features_, options.seed);
  initial_.insert(initial_.end(), spread.begin(), spread.end());
}

void Guided::tell(std::size_t point, std::optional<double> timeNs) {
  trials_.tell(point, timeNs);
  hasNewResults_ = true;
}

std::optional<std::size_t> Guided::nextInitial() {
  while (nextInitial_ < initial_.size()) {
    const std::size_t point = initial_[nextInitial_++];
    if (trials_.isOpen(point)) {
      return point;
    }
  }
  return std::nullopt;
}

bool Guided::initialDone() const {
  return nextInitial_ >= givenInitial_ && trials_.succeeded() > 0 &&
         trials_.told().size() >= kSpreadPoints;
}

std::vector<std::size_t> Guided::ask(std::size_t count) {
  count = std::min(count, trials_.openCount());
  std::vector<std::size_t> chosen;
  while (chosen.size() < count && !initialDone()) {
    const auto point = nextInitial();
    if (!point) {
      break;
    }
    trials_.use(*point);
    chosen.push_back(*point);
  }
  if (chosen.size() < count && trials_.succeeded() > 0) {
    choose(count - chosen.size(), chosen);
  }
  while (chosen.size() < count) {
    std::vector<std::size_t> rest;
    addOpen(rest, 1);
    trials_.use(rest.front());
    chosen.push_back(rest.front());
  }
  return chosen;
}

/// Picks the point with the largest gain first. Later ones must also be far from those picked
/// before, whose results are not known yet.
void Guided::choose(std::size_t count, std::vector<std::size_t>& chosen) {
  if (hasNewResults_) {
    learn();
    hasNewResults_ = false;
  }
  std::vector<std::size_t> points = candidates();
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::erase_if(points, [&](std::size_t point) { return !trials_.isOpen(point); });
  std::vector<double> gains;
  for (const std::size_t point : points) {
    gains.push_back(expectedGain(point));
  }
  const auto lessenNear = [&](std::size_t taken) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      gains[i] *= 1 - std::exp(-kBatchSpread * coordinates_.distance(taken, points[i]));
    }
  };
  for (const std::size_t point : chosen) {
    lessenNear(point);
  }
  for (; count > 0 && !points.empty(); --count) {
    const auto most = std::max_element(gains.begin(), gains.end()) - gains.begin();
    const std::size_t point = points[static_cast<std::size_t>(most)];
    points.erase(points.begin() + most);
    gains.erase(gains.begin() + most);
    trials_.use(point);
    chosen.push_back(point);
    lessenNear(point);
  }
}

std::vector<std::size_t> Guided::best(std::size_t limit) const {
  std::vector<std::size_t> numbers = trials_.byTime();
  numbers.resize(std::min(limit, numbers.size()));
  for (std::size_t& number : numbers) {
    number = trials_.told()[number].point;
  }
  return numbers;
}

void Guided::addOpen(std::vector<std::size_t>& points, std::size_t count) {
  if (trials_.openCount() <= count * 2) {
    for (std::size_t point = 0; point < trials_.points(); ++point) {
      if (trials_.isOpen(point)) {
        points.push_back(point);
      }
    }
    return;
  }
  while (count > 0) {
    const std::size_t from = random_.below(trials_.points());
    // If few are open, scan for the next open one instead of drawing again.
    std::size_t point = from;
    while (!trials_.isOpen(point)) {
      point = (point + 1) % trials_.points();
    }
    points.push_back(point);
    --count;
  }
}

}  // namespace hone::search
