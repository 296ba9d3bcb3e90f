#include "verify/library_times.h"

#include <gtest/gtest.h>

namespace hone::verify {
namespace {

TEST(TimeCalls, AddsOneTimePerRepetitionAfterWarmUp) {
  int calls = 0;
  LibraryTimes times;
  const auto call = [&]() -> Result<void> {
    ++calls;
    return {};
  };
  ASSERT_TRUE(timeCalls(call, {.iterations = 3, .repetitions = 2}, times));
  EXPECT_EQ(calls, 9);
  EXPECT_EQ(times.wallNs.size(), 2U);
  EXPECT_EQ(times.cpuNs.size(), 2U);
}

TEST(TimeCalls, StopsAtFailedCall) {
  int calls = 0;
  LibraryTimes times;
  const auto call = [&]() -> Result<void> {
    if (++calls == 4) {
      return machineError("failed");
    }
    return {};
  };
  EXPECT_FALSE(timeCalls(call, {.iterations = 2, .repetitions = 3}, times));
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace hone::verify
