#include "split/sweep/look_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::split {
namespace {

/// Where the best limit was most often seen on CPUs.
constexpr double kMiddle = 32;
constexpr int kEnough = 2;

double placeOf(const Choice& choice) {
  // Not to split at all is next to the limit 1.
  const double limit = choice.limits.empty() ? 0.5 : static_cast<double>(choice.limits.front());
  return std::log2(limit / kMiddle);
}

std::size_t sideOf(const Choice& choice) { return placeOf(choice) > 0 ? 1 : 0; }

}  // namespace

std::vector<std::size_t> lookOrder(std::span<const Choice> choices) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  if (!order.empty()) {
    std::stable_sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(placeOf(choices[a])) < std::abs(placeOf(choices[b]));
    });
  }
  return order;
}

bool Outskirts::beyond(const Choice& choice) const {
  return !choice.isBaseline && !choice.isNoSplit && tooSlowInARow_.at(sideOf(choice)) >= kEnough;
}

void Outskirts::note(const Choice& choice, bool tooSlow) {
  if (!choice.isBaseline && !choice.isNoSplit) {
    int& inARow = tooSlowInARow_.at(sideOf(choice));
    inARow = tooSlow ? inARow + 1 : 0;
  }
}

}  // namespace hone::split
