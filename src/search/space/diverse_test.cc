#include "search/space/diverse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hone::search {
namespace {

/// Returns all combinations of two sizes and an option, plus a size with one rare value.
Space grid() {
  std::vector<std::vector<std::int64_t>> points;
  for (const std::int64_t rows : {8, 16, 32, 64, 128, 256}) {
    for (const std::int64_t columns : {8, 16, 32, 64, 128, 256}) {
      for (const std::int64_t option : {0, 1, 2}) {
        points.push_back({rows, columns, option, rows == 8 && columns == 8 ? 7 : 1});
      }
    }
  }
  return {{{"rows", {8, 16, 32, 64, 128, 256}},
           {"columns", {8, 16, 32, 64, 128, 256}},
           {"option", {0, 1, 2}, false},
           {"rare", {1, 7}}},
          points};
}

float minDistance(const Coordinates& coordinates, const std::vector<std::size_t>& points) {
  float least = 1e9F;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      least = std::min(least, coordinates.distance(points[i], points[j]));
    }
  }
  return least;
}

TEST(DiversePoints, CoverAllKnobValuesEarly) {
  const Space space = grid();
  const auto points = diversePoints(space, 8, 1);
  ASSERT_EQ(points.size(), 8u);
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
    std::set<std::int64_t> seen;
    for (const std::size_t point : points) {
      seen.insert(space.point(point)[knob]);
    }
    EXPECT_EQ(seen.size(), space.knobs()[knob].values.size()) << space.knobs()[knob].name;
  }
}

TEST(DiversePoints, AreFartherApartThanConsecutivePoints) {
  const Space space = grid();
  const Coordinates coordinates(space);
  EXPECT_GE(minDistance(coordinates, diversePoints(space, 12, 3)),
            3 * minDistance(coordinates, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) / 4);
  EXPECT_GT(minDistance(coordinates, diversePoints(space, 12, 3)), 0.5F);
}

TEST(DiversePoints, ReturnAllPointsIfRequested) {
  const Space space = grid();
  auto points = diversePoints(space, 1'000'000, 1);
  std::sort(points.begin(), points.end());
  EXPECT_EQ(points.size(), space.size());
  EXPECT_EQ(std::unique(points.begin(), points.end()), points.end());
  EXPECT_TRUE(diversePoints(Space({{"x", {}}}, {}), 5, 1).empty());
  EXPECT_EQ(diversePoints(Space({{"x", {4}}}, {{4}}), 5, 1), std::vector<std::size_t>{0});
}

TEST(DiversePoints, AreDeterministicForSeed) {
  const Space space = grid();
  EXPECT_EQ(diversePoints(space, 20, 5), diversePoints(space, 20, 5));
  EXPECT_NE(diversePoints(space, 20, 5), diversePoints(space, 20, 6));
}

TEST(Coordinates, AreNormalizedLogarithms) {
  const Space space(
      {{"tile", {0, 1, 3, 7}}, {"size", {16, 32, 64}}, {"fixed", {5}}, {"kind", {0, 1}, false}},
      {{0, 16, 5, 0}, {1, 32, 5, 1}, {3, 64, 5, 0}, {7, 64, 5, 0}});
  const Coordinates coordinates(space);
  ASSERT_EQ(coordinates.dimensions(), 3u);
  EXPECT_FLOAT_EQ(coordinates.of(0)[0], 0);
  EXPECT_FLOAT_EQ(coordinates.of(1)[0], 1.0F / 3);
  EXPECT_FLOAT_EQ(coordinates.of(2)[0], 2.0F / 3);
  EXPECT_FLOAT_EQ(coordinates.of(1)[1], 0.5F);
  EXPECT_FLOAT_EQ(coordinates.distance(0, 1), 1.0F / 3 + 0.5F + 1);
  EXPECT_EQ(coordinates.steps(coordinates.pointRanks(0), 3), 3u + 2u);
}

}  // namespace
}  // namespace hone::search
