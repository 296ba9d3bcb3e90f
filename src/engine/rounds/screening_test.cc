#include "engine/rounds/screening.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::engine {
namespace {

model::Sample makeSample(double wallNs, double cpuNs) {
  model::Sample sample;
  sample.wallNs = wallNs;
  sample.cpuNs = cpuNs;
  return sample;
}

TEST(Screening, RanksByMinimum) {
  const std::vector<model::Sample> samples = {makeSample(90, 50), makeSample(30, 60),
                                              makeSample(40, 20)};
  EXPECT_EQ(screenTime(samples, iree::RankBy::wall), 30);
  EXPECT_EQ(screenTime(samples, iree::RankBy::cpu), 20);
  EXPECT_FALSE(screenTime({}, iree::RankBy::cpu));
}

TEST(Screening, EliminatesBeyondFactorOfBest) {
  EXPECT_FALSE(isTooSlow(150, 100.0));
  EXPECT_TRUE(isTooSlow(151, 100.0));
  EXPECT_FALSE(isTooSlow(1e12, std::nullopt));
}

/// A candidate just within the factor must finish its warm-up and samples, even on a loaded
/// machine.
TEST(Screening, TimeoutAllowsTwiceSlowestPassing) {
  for (const double sampleNs : {1e3, 1e6, 1e9, 1e10}) {
    const double slowestNs = (kScreenSamples + 1) * kScreenFactor * sampleNs;
    EXPECT_GE(static_cast<double>(screenTimeout(sampleNs).count()) * 1e6, 2 * slowestNs);
  }
}

}  // namespace
}  // namespace hone::engine
