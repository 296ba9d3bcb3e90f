#include "search/space/neighbours.h"

#include <algorithm>

namespace hone::search {
namespace {

constexpr std::size_t kNeighbours = 40;

}  // namespace

const std::vector<std::size_t>& Neighbours::of(std::size_t point) {
  const auto [at, isNew] = known_.try_emplace(point);
  std::vector<std::size_t>& near = at->second;
  if (!isNew) {
    return near;
  }
  struct Distance {
    std::uint32_t steps;
    std::uint32_t tie;  ///< pseudo-random, so that equally near points are not all on one side
    std::size_t point;
  };
  std::vector<Distance> away;
  away.reserve(coordinates_.size());
  const auto here = coordinates_.pointRanks(point);
  for (std::size_t other = 0; other < coordinates_.size(); ++other) {
    if (other != point) {
      const auto tie = static_cast<std::uint32_t>((other + 1) * 0x9e3779b1U);
      away.push_back({coordinates_.steps(here, other), tie, other});
    }
  }
  const auto nearer = [](const Distance& a, const Distance& b) {
    return a.steps != b.steps ? a.steps < b.steps : a.tie < b.tie;
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(kNeighbours, away.size()));
  std::nth_element(away.begin(), away.begin() + count, away.end(), nearer);
  std::sort(away.begin(), away.begin() + count, nearer);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    near.push_back(away[static_cast<std::size_t>(i)].point);
  }
  return near;
}

std::size_t Neighbours::child(std::size_t mother, std::size_t father, Random& random) const {
  const auto left = coordinates_.pointRanks(mother);
  const auto right = coordinates_.pointRanks(father);
  std::vector<std::uint32_t> wanted;
  for (std::size_t i = 0; i < left.size(); ++i) {
    wanted.push_back(random.below(2) == 0 ? left[i] : right[i]);
  }
  std::size_t best = mother;
  std::uint32_t fewest = UINT32_MAX;
  for (std::size_t point = 0; point < coordinates_.size(); ++point) {
    const std::uint32_t steps = coordinates_.steps(wanted, point);
    if (steps < fewest && point != mother && point != father) {
      best = point;
      fewest = steps;
    }
  }
  return best;
}

}  // namespace hone::search
