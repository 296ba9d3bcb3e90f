#include "knobs/gpu/occupancy.h"

#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

TEST(Occupancy, IsLimitedByRegisters) {
  // Four waves of 128 registers fill the 512 of a scheduler that could hold eight.
  EXPECT_DOUBLE_EQ(occupancy("rocm:gfx942", {128, 0, 256, 64}), 0.5);
  EXPECT_DOUBLE_EQ(occupancy("rocm:gfx942", {32, 0, 256, 64}), 1);
  // 65,536 registers hold 32 of 64 warps.
  EXPECT_DOUBLE_EQ(occupancy("cuda:sm_80", {64, 0, 256, 32}), 0.5);
}

TEST(Occupancy, IsLimitedBySharedMemory) {
  EXPECT_DOUBLE_EQ(occupancy("rocm:gfx942", {32, std::int64_t{32} * 1024, 256, 64}), 0.25);
  EXPECT_DOUBLE_EQ(occupancy("cuda:sm_80", {32, std::int64_t{200} * 1024, 256, 32}), 0)
      << "does not fit";
}

TEST(Occupancy, CountsTwoRowsOfRegistersForLargeWavesOfRdna) {
  EXPECT_DOUBLE_EQ(occupancy("rocm:gfx1100", {192, 0, 64, 32}), 0.5);
  EXPECT_DOUBLE_EQ(occupancy("rocm:gfx1100", {192, 0, 64, 64}), 0.25);
}

TEST(Occupancy, KnowsEveryTarget) {
  for (const char* target : {"rocm:gfx906", "rocm:gfx1201", "cuda:sm_120", "cuda:sm_60", "cuda"}) {
    EXPECT_GT(occupancy(target, {32, 0, 256, 32}), 0) << target;
  }
}

}  // namespace
}  // namespace hone::knobs
