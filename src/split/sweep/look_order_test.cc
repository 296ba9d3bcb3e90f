#include "split/sweep/look_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::split {
namespace {

using testing::ElementsAre;

Choice limitOf(std::int64_t limit) {
  Choice choice;
  choice.limits = {limit};
  return choice;
}

TEST(LookOrder, TheBaselineThenFromTheMiddleOutward) {
  Choice baseline = limitOf(2048);
  baseline.isBaseline = true;
  Choice whole;
  whole.isNoSplit = true;
  const std::vector<Choice> choices = {baseline,    whole,       limitOf(1),   limitOf(8),
                                       limitOf(16), limitOf(32), limitOf(128), limitOf(1024)};
  EXPECT_THAT(lookOrder(choices), ElementsAre(0, 5, 4, 3, 6, 2, 7, 1));
  EXPECT_TRUE(lookOrder({}).empty());
}

TEST(Outskirts, BeginBehindTwoHopelessOnesInARowOnOneSide) {
  Outskirts outskirts;
  outskirts.note(limitOf(128), true);
  EXPECT_FALSE(outskirts.beyond(limitOf(256)));
  outskirts.note(limitOf(256), false);
  outskirts.note(limitOf(512), true);
  EXPECT_FALSE(outskirts.beyond(limitOf(1024)));
  outskirts.note(limitOf(1024), true);
  EXPECT_TRUE(outskirts.beyond(limitOf(2048)));
  EXPECT_FALSE(outskirts.beyond(limitOf(8)));
  Choice whole;
  whole.isNoSplit = true;
  outskirts.note(limitOf(2), true);
  outskirts.note(limitOf(1), true);
  EXPECT_FALSE(outskirts.beyond(whole));
  Choice baseline = limitOf(2048);
  baseline.isBaseline = true;
  EXPECT_FALSE(outskirts.beyond(baseline));
}

Timing typical(double us) { return {.meanUs = us, .minUs = us, .maxUs = us, .medianUs = us}; }

TEST(OracleSizes, ABoundIsNoFasterThanWhatWasMeasured) {
  ShapeResult shape;
  shape.reduction.kind = model::ReductionKind::matmul;
  shape.reduction.sizes = {1024};
  shape.baseline = typical(100);
  shape.noSplit = typical(110);
  shape.limits[64] = Timing{.meanUs = 300};
  EXPECT_FALSE(oracleSizes(shape));
  shape.limits[4] = typical(90);
  EXPECT_EQ(oracleSizes(shape), (std::vector<std::int64_t>{256}));
}

}  // namespace
}  // namespace hone::split
