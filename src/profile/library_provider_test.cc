#include "profile/library_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "profile/library_answer.h"

namespace hone::profile {
namespace {

using model::ElementType;
using model::Matmul;
using Status = LibraryTimings::Status;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;

const Limits kLimits{std::chrono::seconds(60), 0};

TEST(LibraryProvider, TimesInChildProcess) {
  const LibraryProvider provider(HONE_PROGRAM, kLimits);
  const auto timings = provider.time(Matmul{.m = 32, .n = 32, .k = 32}, 2, 2, 3).value();
  ASSERT_EQ(timings.status, Status::ok) << timings.message;
  EXPECT_EQ(timings.times.wallNs.size(), 3u);
  EXPECT_THAT(timings.times.wallNs, Each(Gt(0)));
  EXPECT_NE(timings.times.implementation, "");
}

TEST(LibraryProvider, ReportsUnsupportedProblem) {
  const LibraryProvider provider(HONE_PROGRAM, kLimits);
  Matmul half{.m = 8, .n = 8, .k = 8, .lhs = ElementType::f16, .rhs = ElementType::f16};
  const auto timings = provider.time(half, 1, 1, 1).value();
  EXPECT_EQ(timings.status, Status::unsupported);
  EXPECT_EQ(timings.message, "oneDNN does not support f16 on this CPU");
}

TEST(LibraryProvider, ReportsOutOfMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitized children have no memory limit";
#endif
  const LibraryProvider provider(HONE_PROGRAM, {std::chrono::seconds(60), std::uint64_t{1} << 30U});
  const auto timings = provider.time(Matmul{.m = 30000, .n = 30000, .k = 4}, 1, 1, 1).value();
  EXPECT_EQ(timings.status, Status::failed);
  EXPECT_NE(timings.message, "");
}

/// A fake child program that runs the given script.
class FakeProgram : public ::testing::Test {
 protected:
  [[nodiscard]] LibraryProvider saying(const std::string& script, Limits limits = kLimits) const {
    const auto file = folder_.path() / "program";
    EXPECT_TRUE(writeFile(file, "#!/bin/sh\n" + script + "\n"));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return {file, limits};
  }
  [[nodiscard]] LibraryTimings timed(const std::string& script, Limits limits = kLimits) const {
    return saying(script, limits).time(Matmul{.m = 4, .n = 4, .k = 4}, 3, 5, 1).value();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-provider-test").value();
};

constexpr const char* kAnswer =
    R"({"wall_ns":[5.5],"cpu_ns":[6],"implementation":"x","moves":1,"weights_prepacked":true})";

TEST_F(FakeProgram, ReceivesProblemAndThreads) {
  const auto timings = timed(fmt::format("echo \"$OMP_NUM_THREADS $@\" > '{}'; echo '{}'",
                                         (folder_.path() / "asked").string(), kAnswer));
  ASSERT_EQ(timings.status, Status::ok) << timings.message;
  EXPECT_EQ(timings.times.wallNs, std::vector<double>{5.5});
  EXPECT_EQ(timings.times.cpuNs, std::vector<double>{6});
  EXPECT_EQ(timings.times.reorders, 1);
  EXPECT_TRUE(timings.times.weightsPrepacked);
  const std::string asked = readFile(folder_.path() / "asked").value();
  EXPECT_THAT(asked, HasSubstr("3 time-library --threads 3 --problem {"));
  EXPECT_THAT(asked, HasSubstr("--iterations 5 --repetitions 1"));
}

TEST_F(FakeProgram, MayPrintBeforeAnswer) {
  EXPECT_EQ(timed(fmt::format("echo talk; echo '{}'; echo", kAnswer)).status, Status::ok);
}

TEST_F(FakeProgram, FailuresAreReportedInStatus) {
  const auto crash = timed("kill -SEGV $$");
  EXPECT_EQ(crash.status, Status::failed);
  EXPECT_THAT(crash.message, HasSubstr("SIGSEGV"));
  const auto error = timed("echo 'hone: no such thing' >&2; exit 3");
  EXPECT_EQ(error.status, Status::failed);
  EXPECT_EQ(error.message, "no such thing");
  const auto silent = timed("exit 3");
  EXPECT_THAT(silent.message, HasSubstr("exit code 3"));
  const auto endless = timed("sleep 600", {std::chrono::milliseconds(300), 0});
  EXPECT_EQ(endless.status, Status::timedOut);
  EXPECT_THAT(endless.message, HasSubstr("stopped after"));
  std::string timeless = kAnswer;
  timeless.replace(timeless.find("5.5"), 3, "");
  for (const std::string& garbage :
       {std::string(), std::string("nonsense"), std::string("[1,2]"), std::string("{}"),
        std::string(R"({"wall_ns":["a"]})"), timeless}) {
    const auto timings = timed(fmt::format("echo '{}'", garbage));
    EXPECT_EQ(timings.status, Status::failed) << garbage;
    EXPECT_NE(timings.message, "") << garbage;
  }
}

TEST_F(FakeProgram, MustReturnOneTimePerRepetition) {
  const auto timings = saying(fmt::format("echo '{}'", kAnswer))
                           .time(Matmul{.m = 4, .n = 4, .k = 4}, 1, 1, 2)
                           .value();
  EXPECT_EQ(timings.status, Status::failed);
  EXPECT_EQ(timings.message, "expected 2 library times, got 1");
}

TEST(LibraryProvider, FailsIfProgramIsMissing) {
  EXPECT_FALSE(LibraryProvider("/no/such/hone", kLimits).time(Matmul{}, 1, 1, 1));
}

RC_GTEST_PROP(LibraryAnswer, RoundTrips, ()) {
  LibraryAnswer answer;
  const auto times = *rc::gen::nonEmpty<std::vector<std::uint32_t>>();
  answer.times.wallNs.assign(times.begin(), times.end());
  answer.times.cpuNs.assign(times.rbegin(), times.rend());
  answer.times.implementation = *rc::gen::string<std::string>();
  std::erase_if(answer.times.implementation, [](char c) { return c < 0; });  // UTF-8 only
  answer.times.reorders = *rc::gen::inRange(0, 9);
  answer.times.weightsPrepacked = *rc::gen::arbitrary<bool>();
  RC_ASSERT(libraryAnswerFrom(formatAnswer(answer)).value() == answer);
  const LibraryAnswer none{"not here", {}};
  RC_ASSERT(libraryAnswerFrom(formatAnswer(none)).value() == none);
}

RC_GTEST_PROP(LibraryAnswer, ToleratesGarbage, ()) {
  const std::string noise = *rc::gen::string<std::string>();
  (void)libraryAnswerFrom(noise);
  (void)bandwidthFrom(noise);
  // A truncated or altered answer is parsed or rejected.
  std::string text = kAnswer;
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  if (const auto answer = libraryAnswerFrom(text)) {
    RC_ASSERT(!answer->unsupported.empty() || answer->times.wallNs.size() == 1);
  }
  RC_ASSERT(!libraryAnswerFrom(text.substr(0, at)));
}

}  // namespace
}  // namespace hone::profile
