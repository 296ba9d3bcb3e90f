#include "search/strategy/guided.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/space/diverse.h"

namespace hone::search {
namespace {

/// So many spread points are tried before the learner is listened to.
constexpr std::size_t kSpread = 5;
/// Listed in advance, as more are needed where many fail or many are asked for at once.
constexpr std::size_t kMaxFirstPoints = 64;
/// Of the points that the static model likes best, this share is spread over.
constexpr std::size_t kLikelyPart = 16;
constexpr std::size_t kLeastLikely = 24;
/// How quickly the gain of a point recovers with the distance from one that is tried with it.
constexpr float kApart = 4;

/// Spread over what the static model likes, with every third from everywhere; or all from
/// everywhere where there is no static model.
std::vector<std::size_t> spreadPoints(const Coordinates& coordinates, const Features& features,
                                      std::uint64_t seed) {
  std::vector<std::size_t> all(coordinates.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> everywhere = diversePoints(coordinates, all, kMaxFirstPoints, seed);
  if (features.byGuess().empty()) {
    return everywhere;
  }
  std::vector<std::size_t> likely = features.byGuess();
  likely.resize(std::min(likely.size(), std::max(likely.size() / kLikelyPart, kLeastLikely)));
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
      beginning_(options.first),
      givenFirst_(beginning_.size()) {
  const std::vector<std::size_t> spread = spreadPoints(coordinates_, features_, options.seed);
  beginning_.insert(beginning_.end(), spread.begin(), spread.end());
}

void Guided::tell(std::size_t point, std::optional<double> timeNs) {
  trials_.tell(point, timeNs);
  news_ = true;
}

std::optional<std::size_t> Guided::nextToBeginWith() {
  while (nextBeginning_ < beginning_.size()) {
    const std::size_t point = beginning_[nextBeginning_++];
    if (trials_.isOpen(point)) {
      return point;
    }
  }
  return std::nullopt;
}

bool Guided::hasBegun() const {
  return nextBeginning_ >= givenFirst_ && trials_.succeeded() > 0 &&
         trials_.told().size() >= kSpread;
}

std::vector<std::size_t> Guided::ask(std::size_t count) {
  count = std::min(count, trials_.openCount());
  std::vector<std::size_t> chosen;
  while (chosen.size() < count && !hasBegun()) {
    const auto point = nextToBeginWith();
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

/// The most is expected of the first; the others must also be far from those chosen before, as
/// what these will tell is not known yet.
void Guided::choose(std::size_t count, std::vector<std::size_t>& chosen) {
  if (news_) {
    learn();
    news_ = false;
  }
  std::vector<std::size_t> points = candidates();
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::erase_if(points, [&](std::size_t point) { return !trials_.isOpen(point); });
  std::vector<double> gains;
  for (const std::size_t point : points) {
    gains.push_back(gainOf(point));
  }
  const auto lessenNear = [&](std::size_t taken) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      gains[i] *= 1 - std::exp(-kApart * coordinates_.distance(taken, points[i]));
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

std::vector<std::size_t> Guided::best(std::size_t most) const {
  std::vector<std::size_t> numbers = trials_.byTime();
  numbers.resize(std::min(most, numbers.size()));
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
    // Where few are open, the next open one is taken rather than another number drawn.
    std::size_t point = from;
    while (!trials_.isOpen(point)) {
      point = (point + 1) % trials_.points();
    }
    points.push_back(point);
    --count;
  }
}

}  // namespace hone::search
