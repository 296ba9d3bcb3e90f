#include "engine/compile_patience.h"

#include <gtest/gtest.h>

namespace hone::engine {
namespace {

using std::chrono::milliseconds;

TEST(CompilePatience, IsWithoutBoundUntilThereAreBrothers) {
  CompilePatience patience;
  for (int i = 0; i < 7; ++i) {
    patience.took(3'000'000'000);
    EXPECT_EQ(patience.limit(), std::nullopt);
  }
  patience.took(3'000'000'000);
  EXPECT_EQ(patience.limit(), milliseconds(30'000));
}

TEST(CompilePatience, BeginsWithTheCompilersOwnChoice) {
  CompilePatience patience;
  patience.defaultTook(2'000'000'000);
  EXPECT_EQ(patience.limit(), milliseconds(60'000)) << "what is tried may be far more work";
  patience.defaultTook(8'000'000'000);
  EXPECT_EQ(patience.limit(), milliseconds(80'000));
  for (int i = 0; i < 8; ++i) {
    patience.took(4'000'000'000);
  }
  EXPECT_EQ(patience.limit(), milliseconds(40'000));
}

TEST(CompilePatience, IsNeverShort) {
  CompilePatience patience;
  for (int i = 0; i < 20; ++i) {
    patience.took(1'000'000);
  }
  EXPECT_EQ(patience.limit(), milliseconds(10'000));
}

}  // namespace
}  // namespace hone::engine
