#include "search/space/diverse.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace hone::search {
namespace {

/// With this many candidates per requested point, the spread is about as good as with all points.
constexpr std::size_t kCandidatesPerPoint = 24;
constexpr std::size_t kMinCandidates = 2048;
/// Above this, further points follow in random order.
constexpr std::size_t kMaxSpread = 1024;

/// Counts how often each value of each knob occurred.
class Coverage {
 public:
  explicit Coverage(const Coordinates& coordinates) : coordinates_(coordinates) {
    for (std::size_t i = 0; i < coordinates.dimensions(); ++i) {
      counts_.emplace_back(coordinates.rankCount(i));
    }
  }

  /// Returns the novelty of a point, from 1 if all its values are new, down to 0.
  [[nodiscard]] float novelty(std::size_t point) const {
    const auto ranks = coordinates_.pointRanks(point);
    float sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      sum += 1.0F / static_cast<float>(1 + counts_[i][ranks[i]]);
    }
    return counts_.empty() ? 0 : sum / static_cast<float>(counts_.size());
  }
  /// Returns true if one of the point's values is new.
  bool add(std::size_t point) {
    const auto ranks = coordinates_.pointRanks(point);
    bool isNew = false;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      isNew = ++counts_[i][ranks[i]] == 1 || isNew;
    }
    return isNew;
  }

 private:
  const Coordinates& coordinates_;
  std::vector<std::vector<int>> counts_;
};

/// Moves points with a value that no earlier point has to the front, so that the candidates cover
/// all values.
void moveNewValuesToFront(const Coordinates& coordinates, std::vector<std::size_t>& points) {
  Coverage coverage(coordinates);
  std::stable_partition(points.begin(), points.end(),
                        [&](std::size_t point) { return coverage.add(point); });
}

std::size_t differences(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += a[i] != b[i] ? 1 : 0;
  }
  return count;
}

}  // namespace

std::vector<std::size_t> diversePoints(const Coordinates& coordinates,
                                       std::vector<std::size_t> among, std::size_t count,
                                       std::uint64_t seed) {
  count = std::min(count, among.size());
  Random random(seed);
  random.shuffle(std::span(among));
  moveNewValuesToFront(coordinates, among);
  const std::size_t spread = std::min(count, kMaxSpread);
  const std::size_t candidates =
      std::min(among.size(), std::max(spread * kCandidatesPerPoint, kMinCandidates));
  Coverage coverage(coordinates);
  std::vector<float> nearest(candidates, std::numeric_limits<float>::max());
  const auto furthest = static_cast<float>(std::max<std::size_t>(coordinates.dimensions(), 1));
  for (std::size_t chosen = 0; chosen < spread; ++chosen) {
    std::size_t best = chosen;
    float bestScore = -1;
    for (std::size_t i = chosen; i < candidates; ++i) {
      const float apart = std::min(nearest[i] / furthest, 1.0F);
      const float score = apart + coverage.novelty(among[i]);
      if (score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    std::swap(among[chosen], among[best]);
    std::swap(nearest[chosen], nearest[best]);
    coverage.add(among[chosen]);
    for (std::size_t i = chosen + 1; i < candidates; ++i) {
      nearest[i] = std::min(nearest[i], coordinates.distance(among[chosen], among[i]));
    }
  }
  among.resize(count);
  return among;
}

std::vector<std::size_t> diversePoints(const Space& space, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> all(space.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return diversePoints(Coordinates(space), std::move(all), count, seed);
}

void addCheapest(const Space& space, const std::vector<double>& costs, std::size_t count,
                 std::vector<std::size_t>& points) {
  std::vector<std::size_t> order(space.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  for (const std::size_t point : order) {
    if (points.size() >= count) {
      return;
    }
    const bool apart = std::all_of(points.begin(), points.end(), [&](std::size_t other) {
      return differences(space.point(point), space.point(other)) > 1;
    });
    if (apart) {
      points.push_back(point);
    }
  }
}

}  // namespace hone::search
