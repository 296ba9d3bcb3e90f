#include "split/fit/statistics/baseline_comparison.h"

#include <gtest/gtest.h>

#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

ShapeResult comparedShape(double limit8, std::optional<double> baseline) {
  ShapeResult shape = testShape(8, 8, 65536);
  shape.limits[8] = timingUs(limit8);
  shape.baseline = baseline ? std::optional(timingUs(*baseline)) : std::nullopt;
  return shape;
}

TEST(BaselineComparison, CountsFasterSlowerAndEqual) {
  SweepResult sweep{{8, 64}, {}, {}, 0};
  sweep.shapes = {comparedShape(50, 100), comparedShape(25, 100), comparedShape(100.9, 100),
                  comparedShape(130, 100), comparedShape(1, std::nullopt)};
  sweep.shapes.front().noSplit = timingUs(200);
  const BaselineComparisons comparisons = compareToBaseline(sweep);
  EXPECT_EQ(comparisons.withoutBaseline, 1);
  ASSERT_EQ(comparisons.limits.size(), 2U) << "limit 64 has no times";
  const BaselineComparison& eight = comparisons.limits[0];
  EXPECT_EQ(eight.limit, 8);
  EXPECT_EQ(eight.faster, 2);
  EXPECT_EQ(eight.slower, 1);
  EXPECT_EQ(eight.same, 1);
  EXPECT_EQ(eight.winRate(), 50);
  EXPECT_DOUBLE_EQ(eight.averageImprovement, 62.5);
  EXPECT_DOUBLE_EQ(eight.largestImprovement, 75);
  EXPECT_DOUBLE_EQ(eight.averageRegression, 30);
  EXPECT_DOUBLE_EQ(eight.largestRegression, 30);
  const BaselineComparison& noSplit = comparisons.limits[1];
  EXPECT_EQ(noSplit.limit, std::nullopt);
  EXPECT_EQ(noSplit.slower, 1);
  EXPECT_EQ(noSplit.averageImprovement, 0);
}

TEST(BaselineComparison, IsEmptyForEmptySweep) {
  EXPECT_TRUE(compareToBaseline({}).limits.empty());
  EXPECT_EQ(BaselineComparison{}.winRate(), 0);
}

}  // namespace
}  // namespace hone::split
