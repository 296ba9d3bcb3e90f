#include "stats/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace hone::stats {
namespace {

std::vector<double> doubles(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

TEST(Summary, IsZeroForEmptySample) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.count, 0U);
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.stddev, 0);
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(quantile({}, 0.9), 0);
  EXPECT_EQ(geometricMean({}), 0);
}

TEST(Summary, HasNoSpreadForSingleValue) {
  const Summary summary = summarize(std::vector{7.0});
  EXPECT_EQ(summary.count, 1U);
  EXPECT_EQ(summary.min, 7);
  EXPECT_EQ(summary.max, 7);
  EXPECT_EQ(summary.mean, 7);
  EXPECT_EQ(summary.median, 7);
  EXPECT_EQ(summary.p05, 7);
  EXPECT_EQ(summary.p95, 7);
  EXPECT_EQ(summary.stddev, 0);
  EXPECT_EQ(summary.mad, 0);
}

TEST(Summary, MatchesKnownValues) {
  const Summary summary = summarize(std::vector<double>{4, 1, 3, 2, 100});
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 100);
  EXPECT_DOUBLE_EQ(summary.mean, 22);
  EXPECT_NEAR(summary.stddev, 43.618, 0.001);
  EXPECT_EQ(summary.median, 3);
  EXPECT_NEAR(summary.mad, 1.4826, 0.0001);
  EXPECT_DOUBLE_EQ(summary.p05, 1.2);
  EXPECT_DOUBLE_EQ(summary.p95, 80.8);
}

TEST(Quantile, Interpolates) {
  const std::vector<double> values = {40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
}

TEST(GeometricMean, NeitherOverflowsNorUnderflows) {
  EXPECT_NEAR(geometricMean(std::vector<double>{2, 8}), 4, 1e-12);
  EXPECT_NEAR(geometricMean(std::vector<double>(1000, 1e300)) / 1e300, 1, 1e-9);
  EXPECT_NEAR(geometricMean(std::vector<double>(1000, 1e-300)) * 1e300, 1, 1e-9);
}

RC_GTEST_PROP(SummaryProperty, QuantilesAreOrdered, (const std::vector<int>& ints)) {
  RC_PRE(!ints.empty());
  const Summary summary = summarize(doubles(ints));
  RC_ASSERT(summary.count == ints.size());
  RC_ASSERT(summary.min <= summary.p05 && summary.p05 <= summary.median);
  RC_ASSERT(summary.median <= summary.p95 && summary.p95 <= summary.max);
  RC_ASSERT(summary.stddev >= 0 && summary.mad >= 0);
}

RC_GTEST_PROP(SummaryProperty, MedianHasHalfOnEachSide, (const std::vector<int>& ints)) {
  const std::vector<double> values = doubles(ints);
  const double middle = median(values);
  const auto below = std::ranges::count_if(values, [&](double value) { return value < middle; });
  const auto above = std::ranges::count_if(values, [&](double value) { return value > middle; });
  RC_ASSERT(static_cast<std::size_t>(std::max(below, above)) <= values.size() / 2);
}

TEST(PairedSpeedups, CompareRoundsThatBothHave) {
  EXPECT_THAT(pairedSpeedups({{0, 10}, {1, 12}, {3, 30}}, {{1, 6}, {2, 5}, {3, 10}}),
              testing::ElementsAre(2.0, 3.0));
  EXPECT_THAT(pairedSpeedups({{0, 10}}, {{1, 10}}), testing::IsEmpty());
}

}  // namespace
}  // namespace hone::stats
