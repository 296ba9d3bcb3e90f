#include "base/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace hone {
namespace {

/// Returns what `work` writes to stderr. The capture is a file, so nothing is redrawn.
template <typename Work>
std::string captureStderr(bool quiet, const Work& work) {
  testing::internal::CaptureStderr();
  Progress progress(quiet);
  work(progress);
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, PrintsPermanentLines) {
  const std::string err = captureStderr(false, [](Progress& progress) {
    progress.stage("compile", 3);
    progress.say("first");
    progress.step("a note");
    progress.say("second");
    progress.finish();
  });
  EXPECT_EQ(err, "first\nsecond\n") << "short work prints no progress to a pipe";
}

TEST(Progress, IsSilentWhenQuiet) {
  const std::string err = captureStderr(true, [](Progress& progress) {
    progress.say("nothing");
    progress.stage("compile", 1);
    progress.step();
    progress.step("more steps than planned", 5);
    progress.finish();
  });
  EXPECT_EQ(err, "");
}

TEST(Progress, WritesNothingToStdout) {
  testing::internal::CaptureStdout();
  captureStderr(false, [](Progress& progress) {
    progress.stage("compile", 2);
    progress.say("a line");
    progress.finish();
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

ProgressState plain(const char* stage, std::int64_t done, std::optional<std::int64_t> left = {}) {
  return {.stage = stage, .done = done, .total = 0, .best = {}, .note = {}, .secondsLeft = left};
}

TEST(ProgressText, ContainsAllKnownFields) {
  EXPECT_EQ(progressText({.stage = "race",
                          .done = 3,
                          .total = 20,
                          .best = "6.92 ms (1.98x)",
                          .note = "4 left",
                          .secondsLeft = 12}),
            "race 3/20, 12 s left, best 6.92 ms (1.98x) · 4 left");
  EXPECT_EQ(progressText(plain("search", 7)), "search, 7 done");
  EXPECT_EQ(progressText(plain("search", 0)), "search");
  EXPECT_EQ(progressText(plain("a", 0, 61)), "a, 1 min 1 s left");
  EXPECT_EQ(progressText(plain("a", 0, 2 * 3600 + 180)), "a, 2 h 3 min left");
}

/// Records every update.
class RecordingWatcher : public ProgressWatcher {
 public:
  explicit RecordingWatcher(std::vector<ProgressState>& seen, std::vector<bool>& newStages)
      : seen_(seen), newStages_(newStages) {}
  void see(const ProgressState& state, bool newStage) override {
    seen_.push_back(state);
    newStages_.push_back(newStage);
  }

 private:
  std::vector<ProgressState>& seen_;
  std::vector<bool>& newStages_;
};

TEST(Progress, ReportsEveryStepToWatcherWhenQuiet) {
  std::vector<ProgressState> seen;
  std::vector<bool> newStages;
  Progress progress(true);
  progress.stage("before watching", 9);
  progress.watch(std::make_unique<RecordingWatcher>(seen, newStages));
  progress.stage("trials", {.total = 10, .done = 4, .atMost = std::chrono::hours(3)});
  progress.best("5 ms");
  progress.step("a note");
  progress.stage("race", 2);
  progress.step({}, 2);
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(newStages, (std::vector<bool>{true, true, false, true, false}));
  EXPECT_EQ(seen[0].stage, "before watching");
  EXPECT_EQ(seen[1].done, 4);
  EXPECT_EQ(seen[1].secondsLeft, 3 * 3600) << "from the budget: no step is done";
  EXPECT_EQ(seen[2].done, 5);
  EXPECT_EQ(seen[2].note, "a note");
  ASSERT_TRUE(seen[2].secondsLeft);
  EXPECT_LT(*seen[2].secondsLeft, 3600) << "from the pace, which beats the budget";
  EXPECT_EQ(seen[3].best, "5 ms") << "kept across stages";
  EXPECT_EQ(seen[3].note, "");
  EXPECT_EQ(seen[4].done, 2);
  EXPECT_EQ(seen[4].secondsLeft, std::nullopt) << "all steps are done";
}

TEST(Progress, ShowsLongActivityInsteadOfNote) {
  std::vector<ProgressState> seen;
  std::vector<bool> newStages;
  Progress progress(true);
  progress.watch(std::make_unique<RecordingWatcher>(seen, newStages));
  progress.stage("trials", 10);
  progress.step("a note");
  {
    const Activity outer("compiling 17 candidates", nowNs() - 75 * kSecondNs);
    Progress::tick();
    EXPECT_EQ(seen.back().note, "compiling 17 candidates (1 min 15 s)");
    const Activity inner("measuring @f");
    Progress::tick();
    EXPECT_EQ(seen.back().note, "a note") << "an activity of less than a second is not shown";
    Progress::waiting("waiting for another hone");
    EXPECT_EQ(seen.back().note, "waiting for another hone");
    Progress::waited(1);
  }
  Progress::tick();
  EXPECT_EQ(seen.back().note, "a note");
  EXPECT_EQ(seen.back().done, 1);
}

TEST(Progress, DoesNotDrawInForkedChild) {
  std::vector<ProgressState> seen;
  std::vector<bool> newStages;
  Progress progress(true);
  progress.watch(std::make_unique<RecordingWatcher>(seen, newStages));
  progress.stage("trials", 10);
  const Activity activity("compiling", nowNs() - 5 * kSecondNs);
  const std::size_t before = seen.size();
  const pid_t child = ::fork();
  if (child == 0) {
    Progress::tick();
    ::_exit(seen.size() == before ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// Returns the output of a child with these variables on a terminal of 40 columns.
std::string onTerminal(const std::vector<std::pair<const char*, const char*>>& variables) {
  int terminal = -1;
  winsize size{};
  size.ws_col = 40;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : variables) {
      ::setenv(name, value, 1);
    }
    {
      Progress progress;
      progress.best("6.92 ms (1.98x)");
      progress.stage("race", 20);
      progress.say("a line that stays");
      progress.stage("final", {.total = 20, .done = 12});
    }
    ::_exit(0);
  }
  std::string sent;
  std::array<char, 512> buffer{};
  for (ssize_t got = 0; (got = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    sent.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return sent;
}

TEST(ProgressOnTerminal, RedrawsAndClearsOneLine) {
  EXPECT_EQ(onTerminal({}),
            "\r\x1b[K\x1b[1mrace\x1b[0m 0/20, best 6.92 ms (1.98x)"
            "\r\x1b[Ka line that stays\r\n"
            "\r\x1b[K\x1b[1mfinal\x1b[0m 12/20, best 6.92 ms (1.98x)"
            "\r\x1b[K");
}

TEST(ProgressOnTerminal, IsPlainWithNoColor) {
  const std::string sent = onTerminal({{"NO_COLOR", "1"}});
  EXPECT_EQ(sent.find("\x1b[1m"), std::string::npos);
  EXPECT_NE(sent.find("\r\x1b[Krace 0/20, best 6.92 ms"), std::string::npos) << sent;
}

TEST(ProgressOnTerminal, TreatsDumbTerminalAsPipe) {
  EXPECT_EQ(onTerminal({{"TERM", "dumb"}}), "a line that stays\r\n");
}

}  // namespace
}  // namespace hone
