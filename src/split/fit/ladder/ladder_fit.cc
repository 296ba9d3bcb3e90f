#include "split/fit/ladder/ladder_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "split/fit/ladder/boundaries.h"
#include "split/fit/ladder/rung_price.h"

namespace hone::split {
namespace {

constexpr double kViableCost = 1.15;
constexpr std::size_t kNeighbours = 3;  ///< on each side

/// The cases of one output size, which a ladder over it cannot distinguish.
struct Group {
  std::int64_t outputSize = 0;
  std::vector<Objective> costs;     ///< by index of the limit, as below
  std::vector<std::int64_t> votes;  ///< number of cases for which the limit is viable
};

/// Adjacent groups with the same limit.
struct Cluster {
  std::size_t first = 0, last = 0;  ///< both inclusive
  std::size_t limit = 0;
};

using Clusters = std::vector<Cluster>;

void addCase(Group& group, const Case& one) {
  const auto cheapest =
      std::min_element(one.limitCosts.begin(), one.limitCosts.end(),
                       [](const Cost& a, const Cost& b) { return a.objective() < b.objective(); });
  const Objective viable = cheapest->objective() + Objective{.value = std::log(kViableCost)};
  for (std::size_t limit = 0; limit < one.limitCosts.size(); ++limit) {
    const Objective cost = one.limitCosts[limit].objective();
    group.costs[limit] += cost;
    group.votes[limit] += cost <= viable ? 1 : 0;
  }
}

std::vector<Group> makeGroups(const Cases& cases) {
  const std::size_t limits = cases.limits.size();
  std::vector<Group> groups;
  for (const Case& one : cases.all) {
    if (groups.empty() || groups.back().outputSize != one.outputSize) {
      groups.push_back(
          {one.outputSize, std::vector<Objective>(limits), std::vector<std::int64_t>(limits)});
    }
    addCase(groups.back(), one);
  }
  return groups;
}

/// Returns the limit with the most votes among those measured for the most cases of the group. The
/// votes of the neighbours break ties.
std::size_t consensusAt(const std::vector<Group>& groups, std::size_t at) {
  const Group& group = groups[at];
  const auto rankInGroup = [&](std::size_t limit) {
    return std::pair(group.costs[limit].unmeasured, -group.votes[limit]);
  };
  auto best = rankInGroup(0);
  for (std::size_t limit = 1; limit < group.votes.size(); ++limit) {
    best = std::min(best, rankInGroup(limit));
  }
  const std::size_t from = at - std::min(at, kNeighbours);
  const std::size_t to = std::min(at + kNeighbours + 1, groups.size());
  std::size_t chosen = 0;
  std::optional<std::pair<std::int64_t, Objective>> least;
  for (std::size_t limit = 0; limit < group.votes.size(); ++limit) {
    std::pair<std::int64_t, Objective> rank;
    for (std::size_t i = from; i < to; ++i) {
      rank.first -= groups[i].votes[limit];
      rank.second += groups[i].costs[limit];
    }
    if (rankInGroup(limit) == best && (!least || rank < *least)) {
      chosen = limit;
      least = rank;
    }
  }
  return chosen;
}

Clusters makeClusters(const std::vector<Group>& groups) {
  Clusters clusters;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t limit = consensusAt(groups, i);
    if (clusters.empty() || clusters.back().limit != limit) {
      clusters.push_back({i, i, limit});
    }
    clusters.back().last = i;
  }
  return clusters;
}

/// Merges two clusters; the limit is the cheapest one in [lowest, highest].
Cluster merged(const std::vector<Group>& groups, const Cluster& a, const Cluster& b,
               std::size_t lowest, std::size_t highest) {
  Cluster both{a.first, b.last, lowest};
  std::optional<Objective> least;
  for (std::size_t limit = lowest; limit <= highest; ++limit) {
    Objective cost;
    for (std::size_t i = both.first; i <= both.last; ++i) {
      cost += groups[i].costs[limit];
    }
    if (!least || cost < *least) {
      least = cost;
      both.limit = limit;
    }
  }
  return both;
}

/// Enforces limits that decrease with the output size by merging clusters that violate it.
Clusters descending(const std::vector<Group>& groups, const Clusters& clusters,
                    std::size_t limits) {
  Clusters kept;
  for (Cluster next : clusters) {
    while (!kept.empty() && kept.back().limit <= next.limit) {
      next = merged(groups, kept.back(), next, 0, limits - 1);
      kept.pop_back();
    }
    kept.push_back(next);
  }
  return kept;
}

class Fit {
 public:
  explicit Fit(const Cases& cases) : cases_(cases), groups_(makeGroups(cases)) {}

  /// Merges clusters until each remaining one saves the price of its rung.
  [[nodiscard]] Ladder bestAt(double price) const {
    Clusters clusters = descending(groups_, makeClusters(groups_), cases_.limits.size());
    Priced best = priced(clusters, price);
    while (clusters.size() > 1) {
      clusters = cheapestMerge(clusters, price);
      Priced fewer = priced(clusters, price);
      if (fewer.cost > best.cost) {
        break;
      }
      best = std::move(fewer);
    }
    return best.ladder;
  }

 private:
  struct Priced {
    Ladder ladder;
    Objective cost;  ///< including its rungs
  };

  /// Returns the clusters after the cheapest merge of two neighbours.
  [[nodiscard]] Clusters cheapestMerge(const Clusters& clusters, double price) const {
    Clusters best;
    Objective least;
    for (std::size_t i = 0; i + 1 < clusters.size(); ++i) {
      const std::size_t lowest = i + 2 < clusters.size() ? clusters[i + 2].limit + 1 : 0;
      const std::size_t highest = i > 0 ? clusters[i - 1].limit - 1 : cases_.limits.size() - 1;
      Clusters fewer = clusters;
      fewer[i] = merged(groups_, clusters[i], clusters[i + 1], lowest, highest);
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      const Objective cost = priced(fewer, price).cost;
      if (best.empty() || cost < least) {
        best = std::move(fewer);
        least = cost;
      }
    }
    return best;
  }

  [[nodiscard]] Priced priced(const Clusters& clusters, double price) const {
    const auto withPrice = [&](Ladder ladder) {
      const Objective rungs{.value = price * static_cast<double>(ladder.bands.size())};
      const Objective cost = costUnder(cases_, ladder).objective() + rungs;
      return Priced{std::move(ladder), cost};
    };
    Ladder ladder;
    std::int64_t below = 0;
    for (std::size_t i = 0; i + 1 < clusters.size(); ++i) {
      below = boundaryAbove(clusters[i], below);
      ladder.bands.push_back({below, {}, cases_.limits[clusters[i].limit]});
    }
    const std::int64_t lastLimit = cases_.limits[clusters.back().limit];
    ladder.cap = std::min(ladder.cap, lastLimit);
    // The last band needs no condition if the end of the chain is as good.
    Ladder closed = ladder;
    closed.bands.push_back(
        {squareAbove(std::max(groups_.back().outputSize, below)), {}, lastLimit});
    const Priced open = withPrice(std::move(ladder));
    const Priced shut = withPrice(std::move(closed));
    return open.cost <= shut.cost ? open : shut;
  }

  /// Returns a square between the cluster's sizes and the next one's. If there is none, returns the
  /// nearest square, which moves some shapes to the other band.
  [[nodiscard]] std::int64_t boundaryAbove(const Cluster& cluster, std::int64_t previous) const {
    const std::int64_t low = groups_[cluster.last].outputSize;
    const std::int64_t high = groups_[cluster.last + 1].outputSize;
    return std::max(squareBetween(low, high).value_or(squareNear(low, high)),
                    squareAfter(previous));
  }

  const Cases& cases_;
  std::vector<Group> groups_;
};

}  // namespace

Ladder fitLadder(const Cases& cases) {
  return fitAtBestPrice(cases, [](const Cases& some) -> LadderAt {
    return [fit = Fit(some)](double price) { return fit.bestAt(price); };
  });
}

}  // namespace hone::split
