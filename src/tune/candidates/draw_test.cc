#include "tune/candidates/draw.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::tune {
namespace {

/// Returns the space of tiles from 1 to 128 by 1 to 128.
search::Space tiles() {
  const std::vector<std::int64_t> sizes = {1, 2, 4, 8, 16, 32, 64, 128};
  std::vector<std::vector<std::int64_t>> points;
  for (const std::int64_t rows : sizes) {
    for (const std::int64_t columns : sizes) {
      points.push_back({rows, columns});
    }
  }
  return {{{"rows", sizes}, {"columns", sizes}}, points};
}

bool compiles(const search::Space& space, std::size_t point) {
  return space.point(point)[0] * space.point(point)[1] <= 512;
}

TEST(Draw, DrawsEveryPointOnce) {
  const search::Space space = tiles();
  Draw draw(space, 1);
  std::set<std::size_t> drawn;
  for (auto some = draw.next(10); !some.empty(); some = draw.next(10)) {
    for (const std::size_t point : some) {
      EXPECT_TRUE(drawn.insert(point).second);
      draw.tell(point, compiles(space, point));
    }
  }
  EXPECT_EQ(drawn.size(), space.size());
}

TEST(Draw, DrawsPointsSimilarToFailuresLast) {
  const search::Space space = tiles();
  Draw draw(space, 1);
  for (const std::size_t point : draw.next(16)) {
    draw.tell(point, compiles(space, point));
  }
  std::size_t failed = 0;
  for (const std::size_t point : draw.next(16)) {
    failed += compiles(space, point) ? 0U : 1U;
  }
  std::size_t all = 0;
  for (std::size_t point = 0; point < space.size(); ++point) {
    all += compiles(space, point) ? 0U : 1U;
  }
  EXPECT_LT(4 * failed, all * 16 / space.size())
      << failed << " of 16 failed, " << all << " of 64 do";
}

/// Returns a space of two pipelines; each has a tile that the other lacks.
search::Space pipelines() {
  std::vector<std::vector<std::int64_t>> points;
  std::vector<std::int64_t> sizes = {0};
  for (std::int64_t size = 1; size <= 256; size *= 2) {
    sizes.push_back(size);
    points.push_back({0, size, 0});
    points.push_back({1, 0, size});
  }
  return {{{"pipeline", {0, 1}, false}, {"thread", sizes}, {"lanes", sizes}}, points};
}

TEST(Draw, LeavesPipelineThatTheCompilerRefuses) {
  const search::Space space = pipelines();
  const auto isRefused = [&](std::size_t point) { return space.point(point)[0] == 1; };
  std::vector<std::size_t> preferred;
  for (std::size_t point = 0; point < space.size(); ++point) {
    if (isRefused(point)) {
      preferred.push_back(point);
    }
  }
  Draw draw(space, 1, preferred);
  for (const std::size_t point : draw.next(3)) {
    EXPECT_TRUE(isRefused(point));
    draw.tell(point, false);
  }
  for (const std::size_t point : draw.next(6)) {
    EXPECT_FALSE(isRefused(point)) << "all that was tried of this pipeline failed";
  }
}

TEST(Draw, VariesIneffectiveKnobsLast) {
  std::vector<std::vector<std::int64_t>> points;
  for (std::int64_t tile = 1; tile <= 32; ++tile) {
    points.push_back({tile, 0});
    points.push_back({tile, 1});
  }
  std::vector<std::int64_t> tiles;
  for (std::int64_t tile = 1; tile <= 32; ++tile) {
    tiles.push_back(tile);
  }
  const search::Space space({{"tile", tiles}, {"idle", {0, 1}, false}}, points);
  Draw draw(space, 1);
  draw.tell(0, true);
  draw.tellSame(1, 0);
  draw.tell(1, true);
  std::set<std::int64_t> seen;
  for (const std::size_t point : draw.next(31)) {
    EXPECT_TRUE(seen.insert(space.point(point)[0]).second) << "duplicate code";
  }
  EXPECT_EQ(seen.size(), 31u);
  EXPECT_EQ(draw.next(100).size(), 31u) << "the rest is drawn last, without the reported points";
}

}  // namespace
}  // namespace hone::tune
