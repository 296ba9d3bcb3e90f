#include "search/space/space.h"

#include <algorithm>
#include <compare>

namespace hone::search {

Space::Space(std::vector<Knob> knobs, std::vector<std::vector<std::int64_t>> points)
    : knobs_(std::move(knobs)) {
  std::sort(points.begin(), points.end());
  const auto end = std::unique(points.begin(), points.end());
  values_.reserve(points.size() * knobs_.size());
  for (auto point = points.begin(); point != end; ++point, ++size_) {
    values_.insert(values_.end(), point->begin(), point->end());
  }
}

std::span<const std::int64_t> Space::point(std::size_t number) const {
  return std::span(values_).subspan(number * knobs_.size(), knobs_.size());
}

std::optional<std::size_t> Space::find(std::span<const std::int64_t> values) const {
  std::size_t low = 0;
  std::size_t high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const auto here = point(middle);
    const auto order = std::lexicographical_compare_three_way(here.begin(), here.end(),
                                                              values.begin(), values.end());
    if (order == std::strong_ordering::equal) {
      return middle;
    }
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return std::nullopt;
}

}  // namespace hone::search
