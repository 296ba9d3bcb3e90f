#include "split/fit/statistics/clusters.h"

#include <gtest/gtest.h>

#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using model::ReductionKind;

ShapeResult timedShape(std::int64_t m, const std::map<std::int64_t, double>& times) {
  ShapeResult shape = testShape(m, 2, 1000 * m);
  for (const auto& [limit, us] : times) {
    shape.limits[limit] = {us, 0, 0, 0, 0};
  }
  return shape;
}

TEST(Clusters, GroupShapesByBestLimit) {
  SweepResult sweep{{8, 64}, {}, {}, 0};
  sweep.shapes = {timedShape(3, {{8, 1}, {64, 2}}), timedShape(1, {{8, 1}, {64, 4}}),
                  timedShape(2, {{8, 9}, {64, 3}}), timedShape(5, {}),
                  timedShape(6, {{8, 1}, {64, 2}})};
  sweep.shapes.back().reduction.kind = ReductionKind::convolution;
  const auto clusters = clusterByLimit(sweep);
  ASSERT_EQ(clusters.size(), 3U);
  EXPECT_EQ(clusters[0].kind, ReductionKind::convolution);
  EXPECT_EQ(clusters[1].limit, 64);
  EXPECT_EQ(clusters[1].count, 1);
  EXPECT_DOUBLE_EQ(clusters[1].averageSpeedup, 3);
  EXPECT_EQ(clusters[2].limit, 8);
  EXPECT_EQ(clusters[2].count, 2);
  EXPECT_EQ(clusters[2].outputSize.least, 2);
  EXPECT_EQ(clusters[2].outputSize.median, 6);
  EXPECT_EQ(clusters[2].outputSize.most, 6);
  EXPECT_EQ(clusters[2].reductionSize.least, 1000);
  EXPECT_EQ(clusters[2].reductionSize.most, 3000);
  EXPECT_DOUBLE_EQ(clusters[2].averageSpeedup, 3);
}

TEST(Clusters, CompareWithMeasuredBaselinesOnly) {
  SweepResult sweep{{8, 64}, {}, {}, 0};
  sweep.shapes = {timedShape(3, {{8, 1}, {64, 2}}), timedShape(1, {{8, 1}, {64, 4}}),
                  timedShape(2, {{8, 9}, {64, 3}})};
  sweep.shapes[0].baseline = timingUs(5);
  const auto clusters = clusterByLimit(sweep);
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_EQ(clusters[0].averageOverBaseline, std::nullopt);
  EXPECT_EQ(clusters[1].averageOverBaseline, 5);
}

TEST(Clusters, OmitShapesWithoutReduction) {
  SweepResult sweep{{8}, {timedShape(3, {{8, 1}})}, {}, 0};
  sweep.shapes.front().reduction = {};
  EXPECT_TRUE(clusterByLimit(sweep).empty());
}

}  // namespace
}  // namespace hone::split
