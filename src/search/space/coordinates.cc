#include "search/space/coordinates.h"

#include <algorithm>
#include <cmath>

namespace hone::search {
namespace {

std::vector<std::int64_t> occurringValues(const Space& space, std::size_t knob) {
  std::vector<std::int64_t> values(space.size());
  for (std::size_t point = 0; point < space.size(); ++point) {
    values[point] = space.point(point)[knob];
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<float> scaleValues(const std::vector<std::int64_t>& values, bool ordered) {
  // Shift values below 1, such as 0 for "not tiled", so that the logarithm is finite.
  const double shift = values.front() >= 1 ? 0 : 1 - static_cast<double>(values.front());
  const auto logarithm = [&](std::int64_t value) {
    return std::log2(static_cast<double>(value) + shift);
  };
  const double from = logarithm(values.front());
  const double range = logarithm(values.back()) - from;
  std::vector<float> positions;
  for (std::size_t i = 0; i < values.size(); ++i) {
    positions.push_back(static_cast<float>(ordered ? (logarithm(values[i]) - from) / range
                                                   : static_cast<double>(i)));
  }
  return positions;
}

}  // namespace

Coordinates::Coordinates(const Space& space) : size_(space.size()) {
  std::vector<std::size_t> knobs;
  std::vector<std::vector<std::int64_t>> occurring;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
    std::vector<std::int64_t> values = occurringValues(space, knob);
    if (values.size() > 1) {
      knobs.push_back(knob);
      ordered_.push_back(space.knobs()[knob].ordered);
      maxSteps_.push_back(space.knobs()[knob].ordered ? UINT32_MAX : 1);
      rankCounts_.push_back(values.size());
      occurring.push_back(std::move(values));
    }
  }
  values_.resize(size_ * dimensions());
  ranks_.resize(values_.size());
  for (std::size_t i = 0; i < dimensions(); ++i) {
    const std::vector<std::int64_t>& values = occurring[i];
    const std::vector<float> positions = scaleValues(values, ordered_[i]);
    for (std::size_t point = 0; point < size_; ++point) {
      const auto value = space.point(point)[knobs[i]];
      const auto rank = std::lower_bound(values.begin(), values.end(), value) - values.begin();
      ranks_[point * dimensions() + i] = static_cast<std::uint32_t>(rank);
      values_[point * dimensions() + i] = positions[static_cast<std::size_t>(rank)];
    }
  }
}

float Coordinates::distance(std::size_t a, std::size_t b) const {
  const float* left = values_.data() + a * dimensions();
  const float* right = values_.data() + b * dimensions();
  float sum = 0;
  for (std::size_t i = 0; i < maxSteps_.size(); ++i) {
    sum += std::min(std::abs(left[i] - right[i]), 1.0F);  // options are at least 1 apart
  }
  return sum;
}

std::uint32_t Coordinates::steps(std::span<const std::uint32_t> from, std::size_t point) const {
  const std::uint32_t* to = ranks_.data() + point * dimensions();
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < maxSteps_.size(); ++i) {
    const std::uint32_t apart = from[i] < to[i] ? to[i] - from[i] : from[i] - to[i];
    sum += std::min(apart, maxSteps_[i]);
  }
  return sum;
}

}  // namespace hone::search
