#include "split/sweep/screening_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::split {
namespace {

/// The most frequent best limit on CPUs.
constexpr double kTypicalBestLimit = 32;
constexpr int kMaxSlowInARow = 2;

double distanceFromTypical(const Choice& choice) {
  // No split is next to limit 1.
  const double limit = choice.limits.empty() ? 0.5 : static_cast<double>(choice.limits.front());
  return std::log2(limit / kTypicalBestLimit);
}

std::size_t findSide(const Choice& choice) { return distanceFromTypical(choice) > 0 ? 1 : 0; }

}  // namespace

std::vector<std::size_t> screeningOrder(std::span<const Choice> choices) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  if (!order.empty()) {
    std::stable_sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(distanceFromTypical(choices[a])) < std::abs(distanceFromTypical(choices[b]));
    });
  }
  return order;
}

bool ScreeningCutoff::shouldSkip(const Choice& choice) const {
  return !choice.isBaseline && !choice.isNoSplit &&
         tooSlowInARow_.at(findSide(choice)) >= kMaxSlowInARow;
}

void ScreeningCutoff::record(const Choice& choice, bool tooSlow) {
  if (!choice.isBaseline && !choice.isNoSplit) {
    int& inARow = tooSlowInARow_.at(findSide(choice));
    inARow = tooSlow ? inARow + 1 : 0;
  }
}

}  // namespace hone::split
