#include "split/fit/simulate.h"

#include <gtest/gtest.h>

#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

TEST(Simulate, FindsFastestAndSlowestLimit) {
  ShapeResult shape = testShape(64, 64, 65536);
  EXPECT_FALSE(fastestLimit(shape));
  EXPECT_FALSE(slowestLimit(shape));
  EXPECT_FALSE(bestUs(shape));
  shape.limits = {{8, timingUs(5)}, {16, timingUs(3)}, {64, timingUs(3)}};
  shape.baseline = timingUs(2);
  EXPECT_EQ(fastestLimit(shape)->limit, 16);
  EXPECT_EQ(slowestLimit(shape)->limit, 8);
  EXPECT_EQ(bestUs(shape), 2);
  shape.noSplit = timingUs(1);
  EXPECT_EQ(bestUs(shape), 1);
}

TEST(Simulate, LimitOneIsNotNoSplit) {
  ShapeResult shape = testShape(64, 64, 4096);
  shape.limits = {{1, timingUs(7)}, {8, timingUs(5)}};
  EXPECT_EQ(measuredUs(shape, std::nullopt), std::nullopt);
  shape.noSplit = timingUs(6);
  EXPECT_EQ(measuredUs(shape, std::nullopt), 6);
  EXPECT_EQ(measuredUs(shape, 1), 7);
}

TEST(Simulate, TreatsLimitsWithEqualSizesAsEqual) {
  // 96 can be split into 48 parts but not 64: both limits give tiles of 2.
  ShapeResult shape = testShape(64, 64, 96);
  shape.limits = {{32, timingUs(5)}, {48, timingUs(9)}};
  EXPECT_EQ(measuredUs(shape, 64), 9);
  EXPECT_EQ(measuredUs(shape, 8), std::nullopt);
}

TEST(Simulate, TreatsLimitWithoutSizesAsNoSplit) {
  // The compiler tries no tile above 32768, so 8 parts are too few here.
  ShapeResult shape = testShape(64, 64, 1 << 20);
  shape.limits = {{64, timingUs(5)}};
  shape.noSplit = timingUs(9);
  EXPECT_EQ(measuredUs(shape, 8), 9);
  shape.noSplit.reset();
  shape.limits[8] = timingUs(8);
  EXPECT_EQ(measuredUs(shape, std::nullopt), 8);
}

TEST(Simulate, PredictsNoTimeForUnmeasuredDecision) {
  ShapeResult shape = testShape(64, 64, 65536);
  shape.limits = {{8, timingUs(5)}, {128, timingUs(9)}};
  for (const std::int64_t limit : {16, 32, 64, 4096}) {
    EXPECT_EQ(measuredUs(shape, limit), std::nullopt);
  }
  Heuristic heuristic;
  heuristic.returns = compilersReturns(SourceForm::functions, model::ReductionKind::matmul);
  heuristic.ladder.cap = 16;
  EXPECT_EQ(predict(heuristic, shape).timeUs, std::nullopt);
  heuristic.ladder.cap = 8;
  EXPECT_EQ(predict(heuristic, shape).timeUs, 5);
}

TEST(Simulate, ComputesRegretAgainstBestAndBaseline) {
  ShapeResult fast = testShape(64, 64, 65536);
  fast.limits = {{8, timingUs(4)}, {64, timingUs(2)}};
  fast.baseline = timingUs(8);
  ShapeResult slow = testShape(32, 64, 65536);
  slow.limits = {{8, timingUs(10)}, {64, timingUs(5)}};
  slow.baseline = timingUs(9);
  const ShapeResult bare = testShape(16, 64, 65536);
  Heuristic heuristic;
  heuristic.returns = compilersReturns(SourceForm::functions, model::ReductionKind::matmul);
  heuristic.ladder.cap = 8;
  const std::vector<Prediction> predictions = {predict(heuristic, fast), predict(heuristic, slow),
                                               predict(heuristic, bare)};
  const Regret regret = computeRegret(predictions);
  EXPECT_EQ(regret.shapes, 2);
  EXPECT_EQ(regret.unknown, 1);
  EXPECT_DOUBLE_EQ(regret.geomeanRatio, 2);
  EXPECT_EQ(regret.worstRatio, 2);
  EXPECT_EQ(regret.totalUs, 14);
  EXPECT_EQ(regret.bestTotalUs, 7);
  EXPECT_EQ(regret.improved, 1);
  EXPECT_EQ(regret.neutral, 0);
  EXPECT_EQ(regret.regressed, 1);
  EXPECT_NEAR(regret.speedup, std::sqrt(2 * 0.9), 1e-12);
  EXPECT_EQ(computeRegret({}), Regret{});
}

TEST(Simulate, PredictsNoSplitTimeForSkippedShape) {
  ShapeResult shape = testShape(4096, 4096, 64);
  shape.limits = {{8, timingUs(4)}};
  shape.noSplit = timingUs(3);
  Heuristic heuristic;
  heuristic.returns = compilersReturns(SourceForm::functions, model::ReductionKind::matmul);
  EXPECT_EQ(predict(heuristic, shape).timeUs, 3);
}

}  // namespace
}  // namespace hone::split
