#include "split/fit/cases.h"

#include <gtest/gtest.h>

#include <cmath>

#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using model::ReductionKind;

SweepResult oneShape(const ShapeResult& shape) { return {{1, 8, 64}, {shape}, {}, 0}; }

TEST(Cases, CostIsLogOfLostTime) {
  ShapeResult shape = testShape(64, 64, 65536);
  shape.limits = {{1, timingUs(12)}, {8, timingUs(5)}, {64, timingUs(5.05)}};
  shape.noSplit = timingUs(10);
  const SweepResult sweep = oneShape(shape);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  ASSERT_EQ(cases.all.size(), 1U);
  EXPECT_EQ(cases.caps, (std::vector<std::int64_t>{1, 8, 16}));
  const Case& one = cases.all.front();
  EXPECT_DOUBLE_EQ(one.limitCosts[0].value, std::log(2));
  EXPECT_EQ(one.limitCosts[1].value, 0);
  EXPECT_EQ(one.limitCosts[2].value, 0) << "1 % is negligible";
  EXPECT_DOUBLE_EQ(one.skipCost.value, std::log(2));
  EXPECT_EQ(one.capCosts[1].value, 0);
  EXPECT_EQ(one.capCosts[1].unmeasured, 0);
  EXPECT_EQ(one.capCosts[2].unmeasured, 1) << "16 was not measured";
  EXPECT_TRUE(collectCases(sweep, ReductionKind::convolution).all.empty());
}

TEST(Cases, WeighsRegressionsTenfold) {
  ShapeResult shape = testShape(64, 64, 65536);
  shape.limits = {{8, timingUs(5)}, {64, timingUs(10)}};
  shape.baseline = timingUs(8);
  const SweepResult sweep = oneShape(shape);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Case& one = cases.all.front();
  EXPECT_DOUBLE_EQ(one.limitCosts[2].value, 10 * std::log(2));
  EXPECT_EQ(one.limitCosts[2].regressed, 1);
  EXPECT_EQ(one.limitCosts[1].regressed, 0);
}

TEST(Cases, UnmeasuredDecisionsHaveNoTime) {
  ShapeResult shape = testShape(64, 64, 4096);
  shape.limits = {{1, timingUs(20)}, {8, timingUs(5)}};
  shape.baseline = timingUs(8);
  const SweepResult sweep = oneShape(shape);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Case& one = cases.all.front();
  for (const Cost& cost : {one.limitCosts[0], one.limitCosts[2], one.skipCost, one.capCosts[2]}) {
    EXPECT_EQ(cost.unmeasured, 1);
    EXPECT_EQ(cost.loss, 0);
    EXPECT_EQ(cost.value, 0);
    EXPECT_EQ(cost.regressed, 0);
    EXPECT_GT(cost.objective(), one.limitCosts[1].objective());
  }
}

TEST(Cases, ObjectiveRanksUnmeasuredDecisionsFirst) {
  EXPECT_LT((Objective{.unmeasured = 0, .value = 1000}), (Objective{.unmeasured = 1, .value = 0}));
  EXPECT_LT((Objective{.unmeasured = 1, .value = 1}), (Objective{.unmeasured = 1, .value = 2}));
}

TEST(Cases, IncludeShapesWhoseLimitsAllFailed) {
  ShapeResult shape = testShape(64, 64, 65536);
  SweepResult sweep = oneShape(shape);
  EXPECT_TRUE(collectCases(sweep, ReductionKind::matmul).all.empty());
  sweep.shapes.front().noSplit = timingUs(5);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  ASSERT_EQ(cases.all.size(), 1U);
  EXPECT_EQ(cases.all.front().limitCosts[0].unmeasured, 0) << "no split";
  EXPECT_EQ(cases.all.front().limitCosts[1].unmeasured, 1);
}

TEST(Cases, LimitOneStandsForNoSplit) {
  ShapeResult shape = testShape(64, 64, 65536);
  shape.limits = {{1, timingUs(20)}, {8, timingUs(10)}};
  shape.noSplit = timingUs(5);
  const SweepResult sweep = oneShape(shape);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Case& one = cases.all.front();
  EXPECT_EQ(one.limitCosts[0].value, 0) << "not the time of a split into one part";
  EXPECT_EQ(one.capCosts[0].value, 0);
  EXPECT_DOUBLE_EQ(one.limitCosts[1].value, std::log(2));
  EXPECT_EQ(chooseLimit(Ladder{{{INT64_MAX, {}, kNoSplit}}, 16}, shape.reduction), std::nullopt);
  EXPECT_EQ(chooseLimit(Ladder{{}, kNoSplit}, shape.reduction), std::nullopt);
}

TEST(Cases, RangeCoversAllShapes) {
  SweepResult sweep = oneShape(testShape(4, 8, 1000));
  sweep.shapes.push_back(testShape(64, 64, 512));
  for (ShapeResult& shape : sweep.shapes) {
    shape.limits = {{8, timingUs(5)}};
  }
  EXPECT_EQ(measureRange(collectCases(sweep, ReductionKind::matmul)),
            (MeasuredRange{2, 32, std::int64_t{64} * 64, 512, 1000}));
  EXPECT_EQ(measureRange({}), MeasuredRange{});
}

TEST(Cases, SumsCostsOfLimitsUnderLadder) {
  const SweepResult sweep = testSweep(40, [](const model::Reduction&) { return 64; }, 0, 7);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  ASSERT_EQ(cases.all.size(), 40U);
  EXPECT_NEAR(costUnder(cases, Ladder{{{INT64_MAX, {}, 64}}, 16}).value, 0, 1e-9);
  EXPECT_NEAR(costUnder(cases, Ladder{{{INT64_MAX, {{INT64_MAX, 128}}, 64}}, 16}).value,
              40 * std::log(1.3), 1e-6);
  EXPECT_NEAR(costUnder(cases, Ladder{{}, 16}).value, 40 * 2 * std::log(1.3), 1e-6);
  const Heuristic skipAll{ReductionKind::matmul, SourceForm::chain, {0, 0, 0}, {}};
  EXPECT_EQ(costUnder(cases, skipAll).regressed, 40) << "limit 1 is 1.3^6 = 4.8 times the best";
}

TEST(Cases, FoldsAreBalancedAndKeepEqualSizesTogether) {
  SweepResult sweep = testSweep(23, [](const model::Reduction&) { return 64; }, 0, 7);
  sweep.shapes.push_back(sweep.shapes.front());
  sweep.shapes.back().arguments += " ";
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Folds folds = makeFolds(cases);
  EXPECT_EQ(folds.count, 5U);
  std::size_t seen = 0;
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    const std::size_t inside = inFold(cases, folds, fold).all.size();
    EXPECT_GE(inside, 4U);
    EXPECT_EQ(inside + outsideFold(cases, folds, fold).all.size(), 24U);
    seen += inside;
  }
  EXPECT_EQ(seen, 24U);
  for (std::size_t i = 1; i < cases.all.size(); ++i) {
    if (cases.all[i].outputSize == cases.all[i - 1].outputSize) {
      EXPECT_EQ(folds.ofCase[i], folds.ofCase[i - 1]);
    }
  }
}

}  // namespace
}  // namespace hone::split
