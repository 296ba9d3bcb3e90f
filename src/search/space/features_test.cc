#include "search/space/features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone::search {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

float scaledGuess(const std::vector<double>& guesses, std::size_t point) {
  const Space space({{"tile", {8, 16, 32, 64}}}, {{8}, {16}, {32}, {64}});
  const Features features(Coordinates(space), [&](std::size_t at) { return guesses[at]; });
  return features.of(point).back();
}

TEST(Features, ScaleGuessesToTheMedian) {
  EXPECT_FLOAT_EQ(scaledGuess({1, 2, 4, 8}, 0), 0.0F);
  EXPECT_FLOAT_EQ(scaledGuess({1, 2, 4, 8}, 1), 0.5F);
  EXPECT_FLOAT_EQ(scaledGuess({1, 2, 4, 8}, 2), 1.0F);
}

TEST(Features, PointsWithoutGuessAreTheWorst) {
  EXPECT_FLOAT_EQ(scaledGuess({1, kNone, -1, 0}, 0), 0.0F);
  EXPECT_FLOAT_EQ(scaledGuess({1, kNone, -1, 0}, 2), 2.0F);
}

TEST(Features, AreNumbersWithoutAnyGuess) {
  EXPECT_FLOAT_EQ(scaledGuess({kNone, kNone, 0, std::nan("")}, 1), 2.0F);
}

}  // namespace
}  // namespace hone::search
