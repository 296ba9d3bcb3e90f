#include "profile/roofline/triad.h"

#include <gtest/gtest.h>

#include "base/machine.h"

namespace hone::profile {
namespace {

TEST(Triad, MeasuresBandwidth) {
  for (const int threads : {1, 2, 3}) {
    const auto gbps = triadBandwidth(threads, 10'001);
    ASSERT_TRUE(gbps) << gbps.error().message;
    EXPECT_GT(*gbps, 0);
  }
}

TEST(Triad, RejectsInvalidArguments) {
  EXPECT_FALSE(triadBandwidth(0, 100));
  EXPECT_FALSE(triadBandwidth(2, 1));
  EXPECT_FALSE(triadBandwidth(1, std::size_t{1} << 59U));
}

TEST(Triad, FitsMemory) {
  EXPECT_GT(triadLength(), 0u);
  EXPECT_LE(triadLength() * 3 * sizeof(double), memoryBytes() / 2);
  EXPECT_EQ(triadLength(2400), 100U);
}

}  // namespace
}  // namespace hone::profile
