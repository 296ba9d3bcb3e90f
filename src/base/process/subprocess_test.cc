#include "base/process/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/process/cleanup_command.h"
#include "base/process/file_rules.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"

namespace hone {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""h;
using How = Ending::How;

Command shell(std::string script, Limits limits = {}) {
  return {.argv = {"/bin/sh", "-c", std::move(script)}, .environment = {}, .limits = limits};
}

/// Waits until the process is gone, because SIGKILL is asynchronous.
bool waitUntilGone(pid_t process) {
  while (::kill(process, 0) == 0) {
    const auto state = readFile("/proc/" + std::to_string(process) + "/stat");
    if (!state || state->contains(") Z ")) {
      return true;
    }
    std::this_thread::sleep_for(1ms);
  }
  return errno == ESRCH;
}

TEST(RunCommand, CapturesStreamsAndExitCode) {
  const Finished finished = runCommand(shell("echo out; echo err >&2; exit 3")).value();
  EXPECT_EQ(finished.out, "out\n");
  EXPECT_EQ(finished.err, "err\n");
  EXPECT_EQ(finished.ending.how, How::exited);
  EXPECT_EQ(finished.ending.code, 3);
  EXPECT_FALSE(finished.ending.ok());
  EXPECT_EQ(finished.ending.describe(), "exit code 3");
}

TEST(RunCommand, RunsMeasurementsFirstWherePermitted) {
  const auto policyOf = [](bool runsFirst) {
    Command command = shell("set -- $(cut -d ')' -f 2 /proc/self/stat); echo ${39}");
    command.runsFirst = runsFirst;
    return std::string(trim(runCommand(command).value().out));
  };
  EXPECT_EQ(policyOf(false), std::to_string(SCHED_OTHER));
  EXPECT_EQ(policyOf(true), std::to_string(mayRunFirst() ? SCHED_RR : SCHED_OTHER));
}

TEST(RunCommand, ReportsResourceUsage) {
  const Ending ending = runCommand(shell("exit 0")).value().ending;
  EXPECT_TRUE(ending.ok());
  EXPECT_GT(ending.wallNs, 0);
  EXPECT_GE(ending.cpuNs, 0);
  EXPECT_GT(ending.maxRssBytes, 0);
}

TEST(RunCommand, CapturesLargeOutputOnBothStreams) {
  const Finished finished =
      runCommand(shell("head -c 300000 /dev/zero; head -c 400000 /dev/zero >&2")).value();
  EXPECT_EQ(finished.out.size(), 300'000U);
  EXPECT_EQ(finished.err.size(), 400'000U);
}

TEST(RunCommand, NamesTheSignal) {
  const Ending ending = runCommand(shell("kill -SEGV $$")).value().ending;
  EXPECT_EQ(ending.how, How::signalled);
  EXPECT_EQ(ending.code, SIGSEGV);
  EXPECT_EQ(ending.describe(), "killed by SIGSEGV");
}

TEST(RunCommand, ProvidesEmptyStdin) {
  EXPECT_EQ(runCommand(shell("cat; echo end")).value().out, "end\n");
}

TEST(RunCommand, FailsIfProgramCannotStart) {
  const auto missing = runCommand({.argv = {"/no/such/program"}, .environment = {}, .limits = {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, Fault::machine);
  EXPECT_NE(missing.error().message.find("/no/such/program"), std::string::npos);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(runCommand({})) << "empty argv";
}

TEST(RunCommand, OverridesInheritedVariables) {
  ::setenv("HONE_KEPT", "kept", 1);
  ::setenv("HONE_CHANGED", "old", 1);
  Command command = shell("echo $HONE_KEPT $HONE_CHANGED $HONE_NEW");
  command.environment = {{"HONE_CHANGED", "changed"}, {"HONE_NEW", "a=b"}};
  EXPECT_EQ(runCommand(command).value().out, "kept changed a=b\n");
  EXPECT_STREQ(std::getenv("HONE_CHANGED"), "old");
}

TEST(RunCommand, InheritsNoVariables) {
  ::setenv("HONE_KEPT", "kept", 1);
  Command command{.argv = {"/usr/bin/env"}, .environment = {{"LC_ALL", "C"}}, .limits = {}};
  command.inherit = Inherit::nothing;
  EXPECT_EQ(runCommand(command).value().out, "LC_ALL=C\n");
}

TEST(RunCommand, LimitsWrittenFiles) {
  const ScratchFolder folder = ScratchFolder::create("hone-subprocess").value();
  const std::string file = (folder.path() / "large").string();
  const Finished finished =
      runCommand(shell("head -c 300000 /dev/zero > " + file, {.diskBytes = 100'000})).value();
  EXPECT_FALSE(finished.ending.ok());
  EXPECT_EQ(std::filesystem::file_size(file), 100'000U);
}

TEST(RunCommand, ClosesOtherFilesInChild) {
  const std::string open = runCommand(shell("echo /proc/$$/fd/*")).value().out;
  EXPECT_EQ(std::ranges::count(open, '/'), 4 * 4)
      << "three streams and the directory itself: " << open;
}

TEST(RunCommand, KillsGroupOnTimeout) {
  const Finished finished =
      runCommand(shell("sleep 1000 & echo $!; wait", {.wall = 100ms, .memoryBytes = 0})).value();
  EXPECT_EQ(finished.ending.how, How::timedOut);
  EXPECT_FALSE(finished.ending.ok());
  EXPECT_EQ(finished.ending.describe().rfind("stopped after ", 0), 0U);
  const auto grandchild = parseInt(trim(finished.out));
  ASSERT_TRUE(grandchild) << "output before the timeout is kept";
  EXPECT_TRUE(waitUntilGone(static_cast<pid_t>(*grandchild)));
}

TEST(RunCommand, TimesOutProgramWithClosedStreams) {
  const Finished finished =
      runCommand(shell("exec >&- 2>&-; sleep 1000", {.wall = 100ms, .memoryBytes = 0})).value();
  EXPECT_EQ(finished.ending.how, How::timedOut);
}

TEST(RunCommand, TimesOutEndlessWriter) {
  const Finished finished = runCommand(shell("yes", {.wall = 20ms, .memoryBytes = 0})).value();
  EXPECT_EQ(finished.ending.how, How::timedOut);
  EXPECT_FALSE(finished.out.empty());
}

TEST(RunCommand, DoesNotWaitForBackgroundChildren) {
  const Finished finished = runCommand(shell("sleep 1000 & echo $!")).value();
  EXPECT_TRUE(finished.ending.ok());
  const auto left = parseInt(trim(finished.out));
  ASSERT_TRUE(left);
  EXPECT_TRUE(waitUntilGone(static_cast<pid_t>(*left))) << "its group is killed, too";
}

TEST(RunCommand, AcceptsTimeoutBeyondIntMilliseconds) {
  const Finished finished =
      runCommand(shell("sleep 0.05", {.wall = 24h * 365, .memoryBytes = 0})).value();
  EXPECT_TRUE(finished.ending.ok());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(RunCommand, EnforcesMemoryLimit) {
  const std::string tool = findProgram("python3");
  if (tool.empty()) {
    GTEST_SKIP() << "no python3 to allocate with";
  }
  Command command{.argv = {tool, "-c", "x = bytearray(1 << 30)"},
                  .environment = {},
                  .limits = {.wall = 0ms, .memoryBytes = 512U << 20U}};
  EXPECT_FALSE(runCommand(command).value().ending.ok());
  command.limits.memoryBytes = 0;
  EXPECT_TRUE(runCommand(command).value().ending.ok());
}
#endif

TEST(RunCommand, RunsConcurrentlyFromThreads) {
  std::vector<std::jthread> threads;
  std::vector<std::string> outs(4);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    threads.emplace_back([&outs, i] {
      for (int turn = 0; turn < 5; ++turn) {
        outs[i] += runCommand(shell("echo " + std::to_string(i))).value().out;
      }
    });
  }
  threads.clear();
  for (std::size_t i = 0; i < outs.size(); ++i) {
    EXPECT_EQ(outs[i], fmt::format("{0}\n{0}\n{0}\n{0}\n{0}\n", i));
  }
}

RC_GTEST_PROP(RunCommandProperty, PassesArgumentsUnchanged, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::nonZero<char>());
  const Finished finished =
      runCommand({.argv = {"/usr/bin/printf", "%s", text}, .environment = {}, .limits = {}})
          .value();
  RC_ASSERT(finished.out == text);
}

/// Death tests, since the interrupt flag cannot be reset.
TEST(InterruptDeathTest, KillsChildAndFails) {
  EXPECT_EXIT(
      {
        catchInterrupts();
        const auto finished = runCommand(shell("kill -INT $PPID; sleep 1000"));
        const bool right = !finished && finished.error().fault == Fault::interrupted &&
                           !runCommand(shell("exit 0")) && interrupted();
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, SecondSignalEndsProcess) {
  EXPECT_EXIT(
      {
        catchInterrupts();
        std::raise(SIGTERM);
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptDeathTest, ToleratesOneMoreSignalDuringCleanup) {
  EXPECT_EXIT(
      {
        catchInterrupts();
        std::raise(SIGINT);
        const InterruptGuard held;
        std::raise(SIGINT);
        std::_Exit(runCleanup(shell("exit 0")) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        catchInterrupts();
        std::raise(SIGINT);
        const InterruptGuard held;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptDeathTest, HangupInterruptsUnlessIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_DFL);
        catchInterrupts();
        std::raise(SIGHUP);
        std::_Exit(interrupted() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        catchInterrupts();
        std::raise(SIGHUP);
        std::_Exit(interrupted() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(FindProgram, SearchesPath) {
  EXPECT_EQ(findProgram("/bin/sh"), "/bin/sh");
  EXPECT_FALSE(findProgram("sh").empty());
  EXPECT_EQ(findProgram("no-such-program-at-all"), "");
  EXPECT_EQ(findProgram("/no/such"), "");
}

TEST(FindProgram, IgnoresFolders) {
  const ScratchFolder folder = ScratchFolder::create().value();
  ASSERT_TRUE(makeFolder(folder.path() / "sh"));
  EXPECT_EQ(findProgram((folder.path() / "sh").string()), "");
  EXPECT_EQ(findProgram(""), "");
}

TEST(Subprocess, LimitsDiskSpace) {
  const ScratchFolder folder = ScratchFolder::create("hone-process-test").value();
  Limits limits;
  limits.diskBytes = std::uint64_t{1} << 20U;
  limits.wall = std::chrono::seconds(60);
  const std::string big = (folder.path() / "big").string();
  Command command{{"/bin/sh", "-c", "head -c 9000000 /dev/zero > \"$0\"", big}, {}, limits};
  const auto one = runCommand(command).value();
  EXPECT_TRUE(one.ending.wroteTooMuch() || one.ending.code == 128 + SIGXFSZ)
      << one.ending.describe();
  EXPECT_LE(std::filesystem::file_size(big), limits.diskBytes);
  command.argv = {"/bin/sh", "-c",
                  "i=0; while :; do i=$((i+1)); head -c 300000 /dev/zero > \"$0$i\"; done", big};
  command.writable = {folder.path()};
  const auto many = runCommand(command).value();
  EXPECT_EQ(many.ending.how, Ending::How::filledDisk) << many.ending.describe();
}

TEST(Subprocess, RestrictsWriting) {
  const ScratchFolder folder = ScratchFolder::create("hone-process-test").value();
  const ScratchFolder other = ScratchFolder::create("hone-process-test").value();
  if (FileRules::version() == 0) {
    GTEST_SKIP() << "this system has no Landlock";
  }
  Command command;
  command.writable = {folder.path()};
  const auto succeeds = [&](const std::string& script) {
    command.argv = {"/bin/sh", "-c", script, folder.path().string(), other.path().string()};
    return runCommand(command).value().ending.ok();
  };
  ASSERT_TRUE(writeFile(other.path() / "old", "text"));
  EXPECT_TRUE(succeeds("mkdir \"$0/a\" && echo x > \"$0/a/b\" && mv \"$0/a/b\" \"$0/c\""));
  EXPECT_TRUE(succeeds("cat \"$1/old\" > /dev/null"));
  EXPECT_FALSE(succeeds("echo x > \"$1/new\""));
  EXPECT_FALSE(succeeds("echo x >> \"$1/old\""));
  EXPECT_FALSE(succeeds("rm \"$1/old\""));
  EXPECT_FALSE(succeeds("ln -s a \"$1/link\""));
  EXPECT_EQ(readFile(other.path() / "old").value(), "text");
}

TEST(Subprocess, WithholdsSecrets) {
  ::setenv("AWS_SECRET_ACCESS_KEY", "kettle", 1);
  ::setenv("IREE_API_TOKEN", "kettle", 1);
  ::setenv("IREE_SETTING", "plain", 1);
  Command command;
  command.argv = {"/usr/bin/env"};
  EXPECT_NE(runCommand(command).value().out.find("kettle"), std::string::npos);
  command.inherit = Inherit::harmless;
  command.environment = {{"ADDED", "1"}};
  const std::string seen = runCommand(command).value().out;
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  ::unsetenv("IREE_API_TOKEN");
  ::unsetenv("IREE_SETTING");
  EXPECT_EQ(seen.find("kettle"), std::string::npos);
  EXPECT_NE(seen.find("IREE_SETTING=plain"), std::string::npos);
  EXPECT_NE(seen.find("ADDED=1"), std::string::npos);
  EXPECT_NE(seen.find("PATH="), std::string::npos);
}

}  // namespace
}  // namespace hone
