#include "split/sweep/screening_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::split {
namespace {

using testing::ElementsAre;

Choice makeLimit(std::int64_t limit) {
  Choice choice;
  choice.limits = {limit};
  return choice;
}

TEST(ScreeningOrder, StartsWithBaselineThenGoesOutward) {
  Choice baseline = makeLimit(2048);
  baseline.isBaseline = true;
  Choice whole;
  whole.isNoSplit = true;
  const std::vector<Choice> choices = {baseline,       whole,          makeLimit(1),
                                       makeLimit(8),   makeLimit(16),  makeLimit(32),
                                       makeLimit(128), makeLimit(1024)};
  EXPECT_THAT(screeningOrder(choices), ElementsAre(0, 5, 4, 3, 6, 2, 7, 1));
  EXPECT_TRUE(screeningOrder({}).empty());
}

TEST(ScreeningCutoff, SkipsAfterTwoSlowLimitsInARowOnOneSide) {
  ScreeningCutoff cutoff;
  cutoff.record(makeLimit(128), true);
  EXPECT_FALSE(cutoff.shouldSkip(makeLimit(256)));
  cutoff.record(makeLimit(256), false);
  cutoff.record(makeLimit(512), true);
  EXPECT_FALSE(cutoff.shouldSkip(makeLimit(1024)));
  cutoff.record(makeLimit(1024), true);
  EXPECT_TRUE(cutoff.shouldSkip(makeLimit(2048)));
  EXPECT_FALSE(cutoff.shouldSkip(makeLimit(8)));
  Choice whole;
  whole.isNoSplit = true;
  cutoff.record(makeLimit(2), true);
  cutoff.record(makeLimit(1), true);
  EXPECT_FALSE(cutoff.shouldSkip(whole));
  Choice baseline = makeLimit(2048);
  baseline.isBaseline = true;
  EXPECT_FALSE(cutoff.shouldSkip(baseline));
}

Timing typical(double us) { return {.meanUs = us, .minUs = us, .maxUs = us, .medianUs = us}; }

TEST(OracleSizes, ReturnsFastestMeasuredSplit) {
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
