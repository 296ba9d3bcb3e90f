#include "split/fit/ladder/boundaries.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace hone::split {
namespace {

bool isSquare(std::int64_t value) {
  const std::int64_t root = std::llround(std::sqrt(static_cast<double>(value)));
  return root * root == value;
}

TEST(Boundaries, AreRoundAndNearGeometricMean) {
  EXPECT_EQ(squareBetween(1000, 1000000), 256 * 256);
  EXPECT_EQ(squareBetween(9000, 20000), 128 * 128);
  EXPECT_EQ(squareBetween(9000, 9217), 96 * 96);
  EXPECT_EQ(decimalBetween(30000, 90000), 50000);
  EXPECT_EQ(decimalBetween(100, 104), 102);
  EXPECT_EQ(decimalBetween(7, 8), 8);
  EXPECT_EQ(squareAbove(1000), 32 * 32);
  EXPECT_EQ(squareAbove(1024), 64 * 64);
  EXPECT_EQ(squareAfter(1023), 1024);
  EXPECT_EQ(squareAfter(1024), 33 * 33);
  EXPECT_EQ(decimalAbove(999), 1000);
  EXPECT_EQ(decimalAbove(1000), 10000);
}

TEST(Boundaries, SquareMayBeUpperSizeOrMissing) {
  EXPECT_EQ(squareBetween(9000, 9025), 95 * 95);
  EXPECT_EQ(squareBetween(9217, 9300), std::nullopt);
  EXPECT_EQ(squareNear(9217, 9300), 96 * 96);
}

RC_GTEST_PROP(Boundaries, SeparateSizes, ()) {
  const auto low = *rc::gen::inRange<std::int64_t>(1, 100'000'000);
  const auto high = low + *rc::gen::inRange<std::int64_t>(1, 100'000'000);
  const std::int64_t decimal = decimalBetween(low, high);
  RC_ASSERT(decimal > low);
  RC_ASSERT(decimal <= high);
  const auto square = squareBetween(low, high);
  RC_ASSERT(square.has_value() == (squareAfter(low) <= high));
  if (square) {
    RC_ASSERT(*square > low);
    RC_ASSERT(*square <= high);
    RC_ASSERT(isSquare(*square));
    RC_ASSERT(*square < high || squareAfter(low) == high);
  }
  RC_ASSERT(isSquare(squareNear(low, high)));
}

}  // namespace
}  // namespace hone::split
