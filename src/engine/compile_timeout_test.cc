#include "engine/compile_timeout.h"

#include <gtest/gtest.h>

namespace hone::engine {
namespace {

using std::chrono::milliseconds;

TEST(CompileTimeout, IsUnlimitedUntilEnoughSamples) {
  CompileTimeout timeout;
  for (int i = 0; i < 7; ++i) {
    timeout.record(3'000'000'000);
    EXPECT_EQ(timeout.limit(), std::nullopt);
  }
  timeout.record(3'000'000'000);
  EXPECT_EQ(timeout.limit(), milliseconds(30'000));
}

TEST(CompileTimeout, StartsWithDefaultConfig) {
  CompileTimeout timeout;
  timeout.recordDefault(2'000'000'000);
  EXPECT_EQ(timeout.limit(), milliseconds(60'000)) << "candidates may be much more work";
  timeout.recordDefault(8'000'000'000);
  EXPECT_EQ(timeout.limit(), milliseconds(80'000));
  for (int i = 0; i < 8; ++i) {
    timeout.record(4'000'000'000);
  }
  EXPECT_EQ(timeout.limit(), milliseconds(40'000));
}

TEST(CompileTimeout, HasMinimum) {
  CompileTimeout timeout;
  for (int i = 0; i < 20; ++i) {
    timeout.record(1'000'000);
  }
  EXPECT_EQ(timeout.limit(), milliseconds(10'000));
}

}  // namespace
}  // namespace hone::engine
