#include "knobs/tile_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace hone::knobs {
namespace {

using ::testing::ElementsAre;

TEST(TileSizes, DivisorsAreSorted) {
  EXPECT_THAT(divisorsOf(1), ElementsAre(1));
  EXPECT_THAT(divisorsOf(36), ElementsAre(1, 2, 3, 4, 6, 9, 12, 18, 36));
  EXPECT_THAT(divisorsOf(97), ElementsAre(1, 97));
}

TEST(TileSizes, MultiplesSpanTileToWholeLoop) {
  EXPECT_THAT(multiplesOf(8, 64, 1000, 10), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(multiplesOf(8, 35, 1000, 10), ElementsAre(8, 16, 32, 40));
  EXPECT_THAT(multiplesOf(8, 1024, 1000, 3), ElementsAre(8, 64, 512));
  EXPECT_THAT(multiplesOf(8, 1024, 4, 3), ElementsAre(8));
}

TEST(TileSizes, ReturnsElementBytes) {
  EXPECT_EQ(elementBytes("f64"), 8);
  EXPECT_EQ(elementBytes("bf16"), 2);
  EXPECT_EQ(elementBytes("f8E4M3FN"), 4);
}

RC_GTEST_PROP(TileSizes, MultiplesAreSortedAndBounded, ()) {
  const auto tile = *rc::gen::inRange<std::int64_t>(1, 70);
  const auto size = *rc::gen::inRange<std::int64_t>(1, 100'000);
  const auto most = *rc::gen::inRange<std::size_t>(2, 9);
  const auto tiles = multiplesOf(tile, size, 4096, most);
  RC_ASSERT(!tiles.empty());
  RC_ASSERT(tiles.size() <= most);
  RC_ASSERT(tiles.front() == tile);
  for (const std::int64_t one : tiles) {
    RC_ASSERT(one % tile == 0);
  }
  // A separate loop, because RC_ASSERT evaluates both operands of ||.
  for (std::size_t i = 1; i < tiles.size(); ++i) {
    RC_ASSERT(tiles[i - 1] < tiles[i]);
  }
}

}  // namespace
}  // namespace hone::knobs
