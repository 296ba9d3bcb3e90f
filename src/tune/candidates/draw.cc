#include "tune/candidates/draw.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "search/space/diverse.h"

namespace hone::tune {
namespace {

/// Number of points to spread; more are never drawn in practice.
constexpr std::size_t kMaxSpread = 2000;
constexpr std::size_t kNeighbours = 5;
/// Weight of the assumption that a point compiles, next to that of a result, which is
/// exp(-distance): it decides far from all tried points. Another option is 1 apart.
constexpr double kOptimism = 0.05;

/// Returns the points in drawing order: the preferred ones, then others spread over the space.
std::vector<std::size_t> drawingOrder(const search::Space& space, std::uint64_t seed,
                                      std::vector<std::size_t> order) {
  const std::set<std::size_t> preferred(order.begin(), order.end());
  for (const std::size_t point : search::diversePoints(space, kMaxSpread, seed)) {
    if (!preferred.contains(point)) {
      order.push_back(point);
    }
  }
  return order;
}

}  // namespace

Draw::Draw(const search::Space& space, std::uint64_t seed, std::vector<std::size_t> first)
    : coordinates_(space),
      remaining_(drawingOrder(space, seed, std::move(first))),
      reach_(remaining_.size()),
      ineffective_(coordinates_.dimensions(), false) {}

double Draw::risk(std::size_t point) const {
  std::vector<std::pair<float, bool>> near;
  near.reserve(results_.size());
  for (const CompileResult& told : results_) {
    near.emplace_back(coordinates_.distance(point, told.point), told.compiled);
  }
  const std::size_t count = std::min(kNeighbours, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  double failed = 0;
  double all = kOptimism;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = std::exp(-static_cast<double>(near[i].first));
    failed += near[i].second ? 0 : weight;
    all += weight;
  }
  // Few levels, so that small differences do not change the order of the points.
  constexpr double kLevels = 10;
  return std::round(failed / all * kLevels) / kLevels;
}

std::vector<std::uint32_t> Draw::effectiveRanks(std::size_t point) const {
  const auto ranks = coordinates_.pointRanks(point);
  std::vector<std::uint32_t> kept(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = ineffective_[i] ? 0 : kept[i];
  }
  return kept;
}

std::vector<std::size_t> Draw::next(std::size_t count) {
  const bool anyFailed = std::any_of(results_.begin(), results_.end(),
                                     [](const CompileResult& told) { return !told.compiled; });
  const bool anyIneffective =
      std::find(ineffective_.begin(), ineffective_.end(), true) != ineffective_.end();
  if (anyFailed || anyIneffective) {
    std::set<std::vector<std::uint32_t>> tried;
    for (const CompileResult& told : results_) {
      if (told.compiled) {
        tried.insert(effectiveRanks(told.point));
      }
    }
    std::vector<std::pair<double, std::size_t>> byRisk;
    for (const std::size_t point : remaining_) {
      // A duplicate is as useless as a failure, also among the points drawn in this call.
      const bool duplicate = anyIneffective && !tried.insert(effectiveRanks(point)).second;
      byRisk.emplace_back(duplicate ? 1 : risk(point), point);
    }
    std::stable_sort(byRisk.begin(), byRisk.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(byRisk.begin(), byRisk.end(), remaining_.begin(),
                   [](const auto& pair) { return pair.second; });
  }
  const auto end =
      remaining_.begin() + static_cast<std::ptrdiff_t>(std::min(count, remaining_.size()));
  std::vector<std::size_t> drawn(remaining_.begin(), end);
  remaining_.erase(remaining_.begin(), end);
  return drawn;
}

void Draw::tell(std::size_t point, bool compiled) {
  results_.push_back({point, compiled});
  std::erase(remaining_, point);
}

void Draw::tellSame(std::size_t point, std::size_t other) {
  const auto a = coordinates_.pointRanks(point);
  const auto b = coordinates_.pointRanks(other);
  for (std::size_t i = 0; i < ineffective_.size(); ++i) {
    ineffective_[i] = ineffective_[i] || a[i] != b[i];
  }
}

}  // namespace hone::tune
