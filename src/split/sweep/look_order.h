#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "split/sweep/choices.h"

namespace hone::split {

/// The order in which choices are tried: the first, which is the baseline, then from the middle of
/// the limits outward. The best ones lie there mostly, and a good time to beat, known early, spares
/// the rest.
[[nodiscard]] std::vector<std::size_t> lookOrder(std::span<const Choice> choices);

/// Tells when choices further out need not be tried at all: two neighbours in a row that screening
/// eliminated, on the way outward, are followed by worse ones. One alone is not enough: its sizes
/// may be odd.
class Outskirts {
 public:
  /// Never true for the baseline and for no split: those are always measured.
  [[nodiscard]] bool beyond(const Choice& choice) const;
  void note(const Choice& choice, bool tooSlow);

 private:
  std::array<int, 2> tooSlowInARow_{};  ///< below the middle, above it
};

}  // namespace hone::split
