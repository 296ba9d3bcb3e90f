#include "split/fit/ladder/boundaries.h"

#include <cmath>

namespace hone::split {
namespace {

double geometricMidpoint(std::int64_t low, std::int64_t high) {
  return std::sqrt(static_cast<double>(low) * static_cast<double>(high));
}

/// Returns the multiple of `step` nearest to the value.
std::int64_t nearestMultiple(double value, std::int64_t step) {
  return std::llround(value / static_cast<double>(step)) * step;
}

std::int64_t floorSqrt(std::int64_t size) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(size)));
  while (root * root > size) {
    --root;
  }
  while ((root + 1) * (root + 1) <= size) {
    ++root;
  }
  return root;
}

}  // namespace

std::optional<std::int64_t> squareBetween(std::int64_t low, std::int64_t high) {
  const double middle = std::sqrt(geometricMidpoint(low, high));
  for (std::int64_t step = std::int64_t{1} << 20; step > 0; step /= 2) {
    const std::int64_t side = nearestMultiple(middle, step);
    if (side * side > low && side * side < high) {
      return side * side;
    }
  }
  const std::int64_t side = floorSqrt(high);
  return side * side > low ? std::optional(side * side) : std::nullopt;
}

std::int64_t squareNear(std::int64_t low, std::int64_t high) {
  const std::int64_t side = std::llround(std::sqrt(geometricMidpoint(low, high)));
  return side * side;
}

std::int64_t squareAfter(std::int64_t size) {
  const std::int64_t side = floorSqrt(size) + 1;
  return side * side;
}

std::int64_t squareAbove(std::int64_t size) {
  std::int64_t side = 1;
  while (side * side <= size) {
    side *= 2;
  }
  return side * side;
}

std::int64_t decimalBetween(std::int64_t low, std::int64_t high) {
  const double middle = geometricMidpoint(low, high);
  for (std::int64_t ten = 1'000'000'000'000; ten > 0; ten /= 10) {
    for (const std::int64_t step : {5 * ten, 2 * ten, ten}) {
      const std::int64_t round = nearestMultiple(middle, step);
      if (round > low && round < high) {
        return round;
      }
    }
  }
  return high;
}

std::int64_t decimalAbove(std::int64_t size) {
  std::int64_t ten = 1;
  while (ten <= size) {
    ten *= 10;
  }
  return ten;
}

}  // namespace hone::split
