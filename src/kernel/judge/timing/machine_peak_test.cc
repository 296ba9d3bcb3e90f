#include "kernel/judge/timing/machine_peak.h"

#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

constexpr CorePeak kPeak{100, 50, 10, 1000};

TEST(MinNsAtPeak, IsBoundByFlopsOrWrites) {
  EXPECT_DOUBLE_EQ(minNsAtPeak(1e6, 500, kPeak), 1e4);
  EXPECT_DOUBLE_EQ(minNsAtPeak(0, 500, kPeak), 10);
}

TEST(MinNsAtPeak, WritesBeyondTheCachesToMemory) {
  EXPECT_DOUBLE_EQ(minNsAtPeak(0, 1000, kPeak), 20);
  EXPECT_DOUBLE_EQ(minNsAtPeak(0, 3000, kPeak), 20 + 200);
}

TEST(MinNsAtPeak, IgnoresUnknownMemoryBandwidth) {
  EXPECT_DOUBLE_EQ(minNsAtPeak(0, 3000, {100, 50, 0, 1000}), 60);
  EXPECT_DOUBLE_EQ(minNsAtPeak(0, 3000, {100, 50, 0, 0}), 60);
}

}  // namespace
}  // namespace hone::kernel
