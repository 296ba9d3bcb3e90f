#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/space/space.h"

namespace hone::search {

/// Coordinates of the points of a space, from 0 to 1 for each knob. Sizes are on a logarithmic
/// scale, so that doubling is the same distance at 8 and at 64. Options are numbered; they are only
/// compared for equality.
class Coordinates {
 public:
  explicit Coordinates(const Space& space);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Counts the knobs with more than one value; only those have a coordinate.
  [[nodiscard]] std::size_t dimensions() const { return ordered_.size(); }
  [[nodiscard]] bool ordered(std::size_t dimension) const { return ordered_[dimension]; }
  [[nodiscard]] std::span<const float> of(std::size_t point) const {
    return std::span(values_).subspan(point * dimensions(), dimensions());
  }
  /// Returns the index of each coordinate's value among the values of its knob that occur.
  [[nodiscard]] std::span<const std::uint32_t> pointRanks(std::size_t point) const {
    return std::span(ranks_).subspan(point * dimensions(), dimensions());
  }
  [[nodiscard]] std::size_t rankCount(std::size_t dimension) const {
    return rankCounts_[dimension];
  }
  /// Returns the L1 distance; different options have distance 1.
  [[nodiscard]] float distance(std::size_t a, std::size_t b) const;
  /// Returns the number of steps from these ranks to the point. A step goes to the adjacent value
  /// of a knob, or to another option.
  [[nodiscard]] std::uint32_t steps(std::span<const std::uint32_t> from, std::size_t point) const;

 private:
  std::size_t size_ = 0;
  std::vector<bool> ordered_;
  std::vector<std::uint32_t>
      maxSteps_;  ///< maximum steps per knob: 1 for options, unlimited for sizes
  std::vector<std::size_t> rankCounts_;
  std::vector<float> values_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace hone::search
