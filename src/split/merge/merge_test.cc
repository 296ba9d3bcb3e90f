#include "split/merge/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "split/merge/merge_text.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Returns matmuls that are fastest with this limit; `slowdown` scales all times.
DeviceSweep makeDevice(const std::string& name, std::int64_t bestLimit, double slowdown) {
  DeviceSweep device{name, {kTestLimits, {}, {}, 0}};
  Random random(1);
  for (const std::int64_t m : {8, 16, 32, 64, 128}) {
    device.sweep.shapes.push_back(testShape(m, m, 1 << 20));
    ShapeResult& shape = device.sweep.shapes.back();
    measure(shape, [&](const model::Reduction&) { return bestLimit; }, 0, random);
    for (auto& [limit, timing] : shape.limits) {
      timing.meanUs *= slowdown;
    }
    shape.baseline->meanUs *= slowdown;
    shape.noSplit->meanUs *= slowdown;
  }
  return device;
}

TEST(Merge, KeepsShapesAndLimitsOfAllDevices) {
  DeviceSweep a = makeDevice("a", 64, 1);
  DeviceSweep b = makeDevice("b", 64, 1);
  a.sweep.shapes.pop_back();
  b.sweep.shapes.front().limits.clear();
  std::erase(b.sweep.limits, 2048);
  for (ShapeResult& shape : b.sweep.shapes) {
    shape.limits.erase(2048);
  }
  const MergedSweep merged = mergeSweeps({a, b}).value();
  EXPECT_EQ(merged.omittedShapes, 2);
  EXPECT_THAT(merged.omittedLimits, ElementsAre(2048));
  for (const DeviceSweep& device : merged.devices) {
    EXPECT_EQ(device.sweep.shapes.size(), 3U) << "each device has the same weight";
    EXPECT_FALSE(device.sweep.shapes[0].limits.contains(2048));
  }
  const SweepResult all = merged.combined();
  EXPECT_EQ(all.shapes.size(), 6U);
  EXPECT_THAT(all.shapes.front().arguments, HasSubstr(" [a]"));
}

TEST(Merge, RejectsResultsWithNothingInCommon) {
  const DeviceSweep a = makeDevice("a", 64, 1);
  DeviceSweep b = makeDevice("b", 64, 1);
  b.sweep.limits = {3};
  EXPECT_THAT(mergeSweeps({a, b}).error().message, HasSubstr("no limit was swept in all of a, b"));
  b = makeDevice("b", 64, 1);
  for (ShapeResult& shape : b.sweep.shapes) {
    shape.arguments += " -t 1";
  }
  EXPECT_THAT(mergeSweeps({a, b}).error().message,
              HasSubstr("no shape was measured in all of a, b"));
}

TEST(Merge, WeighsFastAndSlowDevicesAlike) {
  const auto limitsFor = [](double slowdown) {
    const MergedAnalysis analysis =
        analyzeMerged(mergeSweeps({makeDevice("a", 64, 1), makeDevice("b", 64, slowdown)}).value());
    return analysis.all.recommendations.front().taken().heuristic;
  };
  EXPECT_EQ(limitsFor(1), limitsFor(1000));
}

TEST(Merge, ReportsRegretPerDevice) {
  const MergedAnalysis analysis =
      analyzeMerged(mergeSweeps({makeDevice("fast", 64, 1), makeDevice("slow", 8, 50)}).value());
  ASSERT_EQ(analysis.regrets.size(), 2U);
  EXPECT_EQ(analysis.regrets[0].device, "fast");
  EXPECT_EQ(analysis.regrets[1].device, "slow");
  double worst = 0;
  for (const DeviceRegret& one : analysis.regrets) {
    EXPECT_EQ(one.merged.shapes, 5);
    EXPECT_NEAR(one.own.geomeanRatio, 1, 0.01) << one.device;
    EXPECT_NEAR(one.baseline.geomeanRatio, 2, 0.01) << one.device;
    worst = std::max(worst, one.merged.geomeanRatio);
  }
  EXPECT_GT(worst, 1.05) << "one ladder cannot be the best on both";
  const std::string text = mergedText(analysis);
  EXPECT_THAT(text, HasSubstr("2 devices, weighted alike: 5 shapes"));
  EXPECT_THAT(text, HasSubstr("slow, matmuls:\n  ladder for all devices:"));
  EXPECT_THAT(text, HasSubstr("PART 1: PERFORMANCE SUMMARY BY LIMIT - slow"));
  for (int part = 1; part <= 6; ++part) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\nPART {}: ", part)));
  }
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(Merge, HasNoRegretWithoutTimes) {
  const DeviceSweep a = makeDevice("a", 64, 1);
  DeviceSweep b = makeDevice("b", 64, 1);
  for (ShapeResult& shape : b.sweep.shapes) {
    shape.baseline.reset();
  }
  const MergedAnalysis analysis = analyzeMerged(mergeSweeps({a, b}).value());
  EXPECT_EQ(regretPercent(analysis.regrets[1].baseline), "N.A.");
  EXPECT_EQ(analysis.regrets[1].baseline.unknown, 5);
  EXPECT_THAT(mergedText(analysis), HasSubstr("the compiler's default:         N.A.; 5 shapes"));
}

}  // namespace
}  // namespace hone::split
