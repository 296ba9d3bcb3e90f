#include "tune/draw.h"

#include <algorithm>
#include <cmath>

#include "search/diverse.h"

namespace hone::tune {
namespace {

/// So many points are spread; nobody draws more.
constexpr std::size_t kSpread = 2000;
constexpr std::size_t kNeighbours = 5;

}  // namespace

Draw::Draw(const search::Space& space, std::uint64_t seed)
    : coordinates_(space), left_(search::diversePoints(space, kSpread, seed)) {}

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

std::vector<std::size_t> Draw::next(std::size_t count) {
  const bool anyFailed =
      std::any_of(told_.begin(), told_.end(), [](const Told& told) { return !told.compiled; });
  if (anyFailed) {
    std::vector<std::pair<double, std::size_t>> byRisk;
    for (const std::size_t point : left_) {
      byRisk.emplace_back(risk(point), point);
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

void Draw::tell(std::size_t point, bool compiled) { told_.push_back({point, compiled}); }

}  // namespace hone::tune
