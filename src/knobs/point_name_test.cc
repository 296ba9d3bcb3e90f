#include "knobs/point_name.h"

#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

const search::Space kSpace({{"rows", {1, 2, 4}}, {"peel", {0, 1}, false}},
                           {{1, 0}, {2, 1}, {4, 0}});

TEST(PointName, RoundTrips) {
  for (std::size_t point = 0; point < kSpace.size(); ++point) {
    EXPECT_EQ(findPointByName(kSpace, pointName(kSpace, point)), point);
  }
  EXPECT_EQ(pointName(kSpace, 1), "rows=2 peel=1");
}

TEST(PointName, IsNotFoundInAnotherSpace) {
  EXPECT_EQ(findPointByName(kSpace, "rows=2 peel=0"), std::nullopt);
  EXPECT_EQ(findPointByName(kSpace, "rows=2"), std::nullopt);
  EXPECT_EQ(findPointByName(kSpace, "rows=2 peel=1 depth=3"), std::nullopt);
  EXPECT_EQ(findPointByName(kSpace, "default"), std::nullopt);
  EXPECT_EQ(findPointByName(kSpace, "rows=two peel=1"), std::nullopt);
}

}  // namespace
}  // namespace hone::knobs
