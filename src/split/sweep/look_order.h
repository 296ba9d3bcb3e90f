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

/// Tells when choices further out need not be tried at all: two hopeless neighbours in a row, on
/// the way outward, are followed by worse ones. One alone is not enough: its sizes may be odd.
class Outskirts {
 public:
  [[nodiscard]] bool beyond(const Choice& choice) const;
  /// What one further out takes at least: the most that one on its side took.
  [[nodiscard]] double atLeastNs(const Choice& choice) const;
  void note(const Choice& choice, bool hopeless, double timeNs);

 private:
  struct Side {
    int inARow = 0;
    double mostNs = 0;
  };
  std::array<Side, 2> sides_{};  ///< below the middle, above it
};

}  // namespace hone::split
