#include "base/progress.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

/// What the work writes to stderr; a file takes its place, so nothing is redrawn as on a terminal.
template <typename Work>
std::string errOf(bool quiet, const Work& work) {
  testing::internal::CaptureStderr();
  Progress progress(quiet);
  work(progress);
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, SaysLinesThatStay) {
  const std::string err = errOf(false, [](Progress& progress) {
    progress.stage("compile", 3);
    progress.say("first");
    progress.step("a note");
    progress.say("second");
    progress.finish();
  });
  EXPECT_EQ(err, "first\nsecond\n") << "quick work in a pipe draws no progress";
}

TEST(Progress, IsSilentWhenQuiet) {
  const std::string err = errOf(true, [](Progress& progress) {
    progress.say("nothing");
    progress.stage("compile", 1);
    progress.step();
    progress.step("more than there are", 5);
    progress.finish();
  });
  EXPECT_EQ(err, "");
}

TEST(Progress, WritesNothingToStdout) {
  testing::internal::CaptureStdout();
  errOf(false, [](Progress& progress) {
    progress.stage("compile", 2);
    progress.say("a line");
    progress.finish();
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace hone
