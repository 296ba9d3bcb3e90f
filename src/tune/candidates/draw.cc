#include "tune/candidates/draw.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "search/space/diverse.h"

namespace hone::tune {
namespace {

/// So many points are spread; nobody draws more.
constexpr std::size_t kSpread = 2000;
constexpr std::size_t kNeighbours = 5;

}  // namespace

Draw::Draw(const search::Space& space, std::uint64_t seed)
    : coordinates_(space),
      left_(search::diversePoints(space, kSpread, seed)),
      reach_(left_.size()),
      idle_(coordinates_.dimensions(), false) {}

double Draw::risk(std::size_t point) const {
  std::vector<std::pair<float, bool>> near;
  near.reserve(told_.size());
  for (const Told& told : told_) {
    near.emplace_back(coordinates_.distance(point, told.point), told.compiled);
  }
  const std::size_t count = std::min(kNeighbours, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  double failed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    failed += near[i].second ? 0 : 1;
  }
  return count == 0 ? 0 : failed / static_cast<double>(count);
}

std::vector<std::uint32_t> Draw::essence(std::size_t point) const {
  const auto ranks = coordinates_.ranksOf(point);
  std::vector<std::uint32_t> kept(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = idle_[i] ? 0 : kept[i];
  }
  return kept;
}

std::vector<std::size_t> Draw::next(std::size_t count) {
  const bool anyFailed =
      std::any_of(told_.begin(), told_.end(), [](const Told& told) { return !told.compiled; });
  const bool anyIdle = std::find(idle_.begin(), idle_.end(), true) != idle_.end();
  if (anyFailed || anyIdle) {
    std::set<std::vector<std::uint32_t>> tried;
    for (const Told& told : told_) {
      if (told.compiled) {
        tried.insert(essence(told.point));
      }
    }
    std::vector<std::pair<double, std::size_t>> byRisk;
    for (const std::size_t point : left_) {
      // One that compiles to the same code is as useless as one that does not compile. Of those
      // that are drawn now, too, one is enough.
      const bool again = anyIdle && !tried.insert(essence(point)).second;
      byRisk.emplace_back(again ? 1 : risk(point), point);
    }
    std::stable_sort(byRisk.begin(), byRisk.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(byRisk.begin(), byRisk.end(), left_.begin(),
                   [](const auto& pair) { return pair.second; });
  }
  const auto end = left_.begin() + static_cast<std::ptrdiff_t>(std::min(count, left_.size()));
  std::vector<std::size_t> drawn(left_.begin(), end);
  left_.erase(left_.begin(), end);
  return drawn;
}

void Draw::tell(std::size_t point, bool compiled) {
  told_.push_back({point, compiled});
  std::erase(left_, point);
}

void Draw::tellSame(std::size_t point, std::size_t other) {
  const auto a = coordinates_.ranksOf(point);
  const auto b = coordinates_.ranksOf(other);
  for (std::size_t i = 0; i < idle_.size(); ++i) {
    idle_[i] = idle_[i] || a[i] != b[i];
  }
}

}  // namespace hone::tune
