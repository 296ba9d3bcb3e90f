#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "split/sweep/choices.h"

namespace hone::split {

/// Returns the order in which choices are screened: the baseline, which is the first choice, then
/// from a typical best limit outward. A good time to beat, known early, makes screening the others
/// cheaper.
[[nodiscard]] std::vector<std::size_t> screeningOrder(std::span<const Choice> choices);

/// Decides when screening can stop on one side of the typical best limit: after two consecutive
/// limits that were too slow, limits further out are slower still. A single slow limit may be due
/// to odd tile sizes.
class ScreeningCutoff {
 public:
  /// Returns true if the choice need not be screened. Never true for the baseline and no split,
  /// which are always measured.
  [[nodiscard]] bool shouldSkip(const Choice& choice) const;
  void record(const Choice& choice, bool tooSlow);

 private:
  std::array<int, 2> tooSlowInARow_{};  ///< below and above the typical best limit
};

}  // namespace hone::split
