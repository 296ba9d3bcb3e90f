#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kMatmul =
    R"({"kind":"matmul","m":8,"n":8,"k":8,"lhs":"f32","rhs":"f32","result":"f32"})";

TEST(TimeLibrary, PrintsOneLineOfJson) {
  Sandbox box;
  box.setVariable("ONEDNN_VERBOSE", "");
  const CommandResult ran =
      box.hone({"time-library", "--problem", kMatmul, "--iterations", "2", "--repetitions", "3"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["wall_ns"].size(), 3u);
  EXPECT_EQ(ran.json()["cpu_ns"].size(), 3u);
  EXPECT_TRUE(ran.json()["implementation"].is_string());
}

TEST(TimeLibrary, IsHiddenFromHelp) {
  Sandbox box;
  EXPECT_THAT(box.hone({"--help"}).out, Not(HasSubstr("time-library")));
}

TEST(TimeLibrary, RejectsInvalidProblem) {
  Sandbox box;
  expectError(box.hone({"time-library", "--problem", "{}"}), 2, {"'kind' must be"});
  expectError(box.hone({"time-library", "--problem", "nonsense"}), 2, {"'kind' must be"});
  expectError(box.hone({"time-library", "--problem", kMatmul, "--threads", "0"}), 2, {"--threads"});
  expectError(box.hone({"time-library"}), 2, {"'kind' must be"});
}

}  // namespace
}  // namespace hone::test
