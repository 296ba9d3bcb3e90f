#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/space/space.h"

namespace hone::search {

/// Where the points of a space lie, each knob from 0 to 1: sizes by their logarithm, as twice as
/// large is as far at 8 as at 64; options by their number, which says only whether two are equal.
class Coordinates {
 public:
  explicit Coordinates(const Space& space);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Only knobs that have more than one value have a coordinate.
  [[nodiscard]] std::size_t dimensions() const { return ordered_.size(); }
  [[nodiscard]] bool ordered(std::size_t dimension) const { return ordered_[dimension]; }
  [[nodiscard]] std::span<const float> of(std::size_t point) const {
    return std::span(values_).subspan(point * dimensions(), dimensions());
  }
  /// The place of the point's value among those of its knob that occur, and how many do.
  [[nodiscard]] std::span<const std::uint32_t> ranksOf(std::size_t point) const {
    return std::span(ranks_).subspan(point * dimensions(), dimensions());
  }
  [[nodiscard]] std::size_t ranks(std::size_t dimension) const { return rankCounts_[dimension]; }
  /// The sum over all knobs; options that are not equal are 1 apart.
  [[nodiscard]] float distance(std::size_t a, std::size_t b) const;
  /// How many steps the point is from these ranks: to the next value of a knob, or to another
  /// option.
  [[nodiscard]] std::uint32_t steps(std::span<const std::uint32_t> from, std::size_t point) const;

 private:
  std::size_t size_ = 0;
  std::vector<bool> ordered_;
  std::vector<std::uint32_t> farthest_;  ///< 1 for options, else more than any knob has
  std::vector<std::size_t> rankCounts_;
  std::vector<float> values_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace hone::search
