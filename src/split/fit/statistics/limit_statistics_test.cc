#include "split/fit/statistics/limit_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

SweepResult makeSweep(const std::vector<std::map<std::int64_t, double>>& times,
                      std::vector<std::int64_t> limits) {
  SweepResult sweep{std::move(limits), {}, {}, 0};
  for (const auto& shapeTimes : times) {
    ShapeResult shape = testShape(8, 8, 65536);
    for (const auto& [limit, us] : shapeTimes) {
      shape.limits[limit] = {us, 0, 0, 0, 0};
    }
    sweep.shapes.push_back(shape);
  }
  return sweep;
}

TEST(LimitStatistics, CompareShapesWithTimesForAllLimits) {
  const LimitRanking ranking =
      rankLimits(makeSweep({{{8, 2}, {64, 1}}, {{8, 8}, {64, 16}}, {{64, 1000}}}, {8, 64, 128}));
  EXPECT_EQ(ranking.shapes, 2);
  EXPECT_EQ(ranking.failed, (std::vector<std::int64_t>{128}));
  ASSERT_EQ(ranking.limits.size(), 2U);
  EXPECT_EQ(ranking.limits[0].limit, 8) << "equal geometric means: the smaller limit";
  EXPECT_DOUBLE_EQ(ranking.limits[0].geomeanUs, 4);
  EXPECT_EQ(ranking.limits[0].meanUs, 5);
  EXPECT_EQ(ranking.limits[0].medianUs, 5);
  EXPECT_EQ(ranking.limits[0].p95Us, 8);
  EXPECT_EQ(ranking.limits[0].totalUs, 10);
  EXPECT_EQ(ranking.limits[1].totalUs, 17);
}

TEST(LimitStatistics, RankByGeometricMean) {
  const LimitRanking ranking =
      rankLimits(makeSweep({{{8, 1}, {64, 5}}, {{8, 100}, {64, 40}}}, {8, 64}));
  EXPECT_EQ(ranking.limits[0].limit, 8) << "10 vs 14.1, although its total is larger";
}

TEST(LimitStatistics, ComputeP95LikeEarlierTools) {
  std::vector<std::map<std::int64_t, double>> times;
  for (int i = 1; i <= 20; ++i) {
    times.push_back({{8, i}});
  }
  EXPECT_EQ(rankLimits(makeSweep(times, {8})).limits[0].p95Us, 20);
  times.push_back({{8, 21}});
  times.push_back({{8, 22}});
  EXPECT_EQ(rankLimits(makeSweep(times, {8})).limits[0].p95Us, 21) << "index int(20.9) of 22";
}

TEST(LimitStatistics, GeometricMeanDoesNotOverflow) {
  const std::vector<std::map<std::int64_t, double>> times(200, {{8, 1e14}});
  const LimitRanking ranking = rankLimits(makeSweep(times, {8}));
  EXPECT_NEAR(ranking.limits[0].geomeanUs, 1e14, 1e4);
}

TEST(LimitStatistics, IncludeBaselineAndNoSplit) {
  SweepResult sweep = makeSweep({{{8, 2}}, {{8, 8}}, {{8, 1}}}, {8});
  for (ShapeResult& shape : sweep.shapes) {
    shape.baseline = timingUs(3);
  }
  sweep.shapes[0].noSplit = sweep.shapes[1].noSplit = timingUs(5);
  const LimitRanking ranking = rankLimits(sweep);
  EXPECT_EQ(ranking.shapes, 2);
  ASSERT_TRUE(ranking.baseline && ranking.noSplit);
  EXPECT_EQ(ranking.baseline->totalUs, 6);
  EXPECT_EQ(ranking.noSplit->totalUs, 10);
  EXPECT_EQ(ranking.limits.at(0).totalUs, 10);
  EXPECT_TRUE(ranking.sparse.empty());
}

TEST(LimitStatistics, LeaveOutRowsMeasuredOnFewShapes) {
  SweepResult sweep = makeSweep({{{8, 2}, {64, 1}}, {{8, 8}}, {{8, 1}}, {{8, 4}}}, {8, 64});
  for (ShapeResult& shape : sweep.shapes) {
    shape.baseline = timingUs(3);
  }
  const LimitRanking ranking = rankLimits(sweep);
  EXPECT_EQ(ranking.shapes, 4);
  ASSERT_EQ(ranking.limits.size(), 1U);
  EXPECT_EQ(ranking.limits[0].limit, 8);
  EXPECT_FALSE(ranking.noSplit);
  ASSERT_EQ(ranking.sparse.size(), 2U);
  EXPECT_EQ(ranking.sparse[0].row.kind, SummaryRow::Kind::noSplit);
  EXPECT_EQ(ranking.sparse[0].shapes, 0);
  EXPECT_EQ(ranking.sparse[1].row, (SummaryRow{SummaryRow::Kind::limit, 64}));
  EXPECT_EQ(ranking.sparse[1].shapes, 1);
  EXPECT_TRUE(ranking.failed.empty());
}

TEST(LimitStatistics, AreEmptyForEmptySweep) {
  const LimitRanking nothing = rankLimits({});
  EXPECT_EQ(nothing.shapes, 0);
  EXPECT_TRUE(nothing.limits.empty());
  EXPECT_TRUE(rankLimits(makeSweep({{{8, 1}}, {{64, 1}}}, {8, 64})).limits.empty());
}

}  // namespace
}  // namespace hone::split
