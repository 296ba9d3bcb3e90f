#include "split/sweep/rebuild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

#include "base/process/interrupt.h"
#include "split/fit/test_heuristics.h"
#include "split/source/source_edit.h"

namespace hone::split {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;
using test::replicaSource;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Rebuild : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(buildFolder());
    ASSERT_TRUE(writeFile(file(), original_));
  }
  [[nodiscard]] fs::path file() const { return folder_.path() / "SetSplitReductionSizes.cpp"; }
  [[nodiscard]] fs::path backup() const { return file().string() + ".hone-backup"; }
  [[nodiscard]] fs::path buildFolder() const { return folder_.path() / "build"; }
  [[nodiscard]] std::string text() const { return readFile(file()).value(); }
  [[nodiscard]] std::string changed() const { return withFixedLimit(original_, "f", 96).value(); }
  /// Returns true if hone left no files next to the source.
  [[nodiscard]] bool isTidy() const {
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.path())) {
      ++entries;
    }
    return entries == 2;
  }
  /// Returns a build that, like ninja, rebuilds only if the source is newer than its output.
  [[nodiscard]] Build copying() const {
    return {.folder = buildFolder(),
            .command =
                "[ -e out ] && [ -z \"$(find ../*.cpp -newer out)\" ] || "
                "{ cp ../*.cpp out; echo built; }",
            .limits = {},
            .log = {}};
  }

  /// Forks a process that locks and edits the source, signals that, and continues with `work`.
  pid_t holder(const std::function<void()>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      {
        auto guard = SourceGuard::take(file());
        if (!guard || !guard->write(changed())) {
          ::_exit(9);
        }
        static_cast<void>(::write(ends[1], "x", 1) == 1);
        work();
      }
      ::_exit(0);
    }
    char word = 0;
    EXPECT_EQ(::read(ends[0], &word, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
    return pid;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-rebuild-test").value();
  std::string original_ = replicaSource(SourceForm::functions);
};

void sleepForever() {
  while (true) {
    ::pause();
  }
}

int waitForEnd(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Rebuild, EditsAndRestoresSource) {
  fs::permissions(file(), fs::perms::owner_all);
  {
    auto guard = SourceGuard::take(file()).value();
    EXPECT_EQ(guard.original(), original_);
    EXPECT_EQ(guard.notice(), "");
    EXPECT_EQ(text(), original_);
    ASSERT_TRUE(guard.write(changed()));
    EXPECT_THAT(text(), StartsWith(changed() + "// hone: "));
    EXPECT_EQ(readFile(backup()).value(), original_);
    ASSERT_TRUE(guard.write("other\n"));
    EXPECT_THAT(text(), StartsWith("other\n// hone: "));
    const auto moved = std::move(guard);
    EXPECT_THAT(text(), StartsWith("other\n"));
  }
  EXPECT_EQ(text(), original_);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(isTidy());
}

TEST_F(Rebuild, RebuildsEditedAndRestoredSource) {
  EXPECT_EQ(buildCompiler(copying()).value(), "built\n");
  EXPECT_EQ(buildCompiler(copying()).value(), "");
  {
    auto guard = SourceGuard::take(file()).value();
    ASSERT_TRUE(guard.write(changed()));
    EXPECT_EQ(buildCompiler(copying()).value(), "built\n");
    EXPECT_THAT(readFile(buildFolder() / "out").value(), StartsWith(changed()));
  }
  EXPECT_EQ(buildCompiler(copying()).value(), "built\n");
  EXPECT_EQ(readFile(buildFolder() / "out").value(), original_);
}

TEST_F(Rebuild, ReportsFailedBuildAndRestoresSource) {
  const auto attempt = [&]() -> Result<std::string> {
    auto guard = HONE_TRY(SourceGuard::take(file()));
    HONE_CHECK(guard.write(changed()));
    return buildCompiler({.folder = buildFolder(),
                          .command = "seq 1 50; echo 'f.cpp:3: error: no' >&2; exit 4",
                          .limits = {},
                          .log = buildFolder() / "log"});
  };
  const std::string error = attempt().error().message;
  EXPECT_THAT(error, HasSubstr("failed (exit code 4), full output in "));
  EXPECT_THAT(error, HasSubstr("\n42\n"));
  EXPECT_THAT(error, HasSubstr("\n50\nf.cpp:3: error: no"));
  EXPECT_THAT(error, Not(HasSubstr("\n41\n")));
  EXPECT_THAT(readFile(buildFolder() / "log").value(), StartsWith("1\n2\n"));
  EXPECT_EQ(text(), original_);
  EXPECT_TRUE(isTidy());
}

TEST_F(Rebuild, BuildHasTimeoutAndFolder) {
  Build build{.folder = buildFolder(), .command = "sleep 1000", .limits = {}, .log = {}};
  build.limits.wall = 50ms;
  EXPECT_THAT(buildCompiler(build).error().message, HasSubstr("failed (stopped after "));
  build.folder = folder_.path() / "nowhere";
  EXPECT_THAT(buildCompiler(build).error().message, HasSubstr("build folder not found: "));
}

TEST_F(Rebuild, RestoresSourceAfterKill) {
  const pid_t pid = holder(sleepForever);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(waitForEnd(pid), 128 + SIGKILL);
  EXPECT_THAT(text(), StartsWith(changed()));
  const auto notice = restoreLeftover(file()).value();
  ASSERT_TRUE(notice.has_value());
  EXPECT_THAT(*notice, HasSubstr("after a killed hone process"));
  EXPECT_EQ(text(), original_);
  EXPECT_TRUE(isTidy());
  EXPECT_EQ(restoreLeftover(file()).value(), std::nullopt);
}

TEST_F(Rebuild, NextGuardRestoresSourceAfterKill) {
  const pid_t pid = holder(sleepForever);
  ::kill(pid, SIGKILL);
  waitForEnd(pid);
  const auto guard = SourceGuard::take(file()).value();
  EXPECT_THAT(guard.notice(), HasSubstr("restored "));
  EXPECT_EQ(guard.original(), original_);
  EXPECT_EQ(text(), original_);
}

TEST_F(Rebuild, KeepsUserEditsAfterKill) {
  const pid_t pid = holder(sleepForever);
  ::kill(pid, SIGKILL);
  waitForEnd(pid);
  const std::string edited = text() + "int mine;\n";
  ASSERT_TRUE(writeFile(file(), edited));
  EXPECT_THAT(restoreLeftover(file()).error().message,
              HasSubstr("was changed while hone was editing it"));
  EXPECT_FALSE(SourceGuard::take(file()));
  EXPECT_EQ(text(), edited);
  EXPECT_EQ(readFile(backup()).value(), original_);
  ASSERT_TRUE(writeFile(file(), original_));  // like git checkout
  EXPECT_TRUE(restoreLeftover(file()));
  EXPECT_TRUE(isTidy());
}

TEST_F(Rebuild, DoesNotOverwriteConcurrentEdits) {
  auto guard = SourceGuard::take(file()).value();
  ASSERT_TRUE(guard.write(changed()));
  ASSERT_TRUE(writeFile(file(), "mine\n"));
  EXPECT_FALSE(guard.write("other\n"));
  EXPECT_FALSE(guard.restore());
  EXPECT_EQ(text(), "mine\n");
  EXPECT_EQ(readFile(backup()).value(), original_);
}

TEST_F(Rebuild, LocksSource) {
  const pid_t pid = holder(sleepForever);
  EXPECT_THAT(SourceGuard::take(file()).error().message,
              HasSubstr("is locked by another hone process"));
  EXPECT_THAT(restoreLeftover(file()).error().message,
              HasSubstr("is locked by another hone process"));
  EXPECT_THAT(text(), StartsWith(changed()));
  ::kill(pid, SIGKILL);
  waitForEnd(pid);
  EXPECT_TRUE(SourceGuard::take(file()));
}

TEST_F(Rebuild, InterruptStopsBuildAndRestoresSource) {
  const fs::path started = buildFolder() / "started";
  const pid_t pid = holder([&] {
    catchInterrupts();
    const auto built = buildCompiler({.folder = buildFolder(),
                                      .command = "echo x > started; sleep 1000",
                                      .limits = {},
                                      .log = {}});
    if (built || built.error().fault != Fault::interrupted) {
      ::_exit(8);
    }
  });
  while (!fs::exists(started)) {
    ::usleep(1000);
  }
  ::kill(pid, SIGINT);
  EXPECT_EQ(waitForEnd(pid), 0);
  EXPECT_EQ(text(), original_);
  EXPECT_TRUE(isTidy());
}

TEST_F(Rebuild, FollowsLinks) {
  const fs::path link = buildFolder() / "link.cpp";
  fs::create_symlink(file(), link);
  {
    auto guard = SourceGuard::take(link).value();
    ASSERT_TRUE(guard.write("other\n"));
    EXPECT_THAT(text(), StartsWith("other\n"));
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text(), original_);
  EXPECT_THAT(SourceGuard::take(folder_.path() / "none.cpp").error().message,
              HasSubstr("source not found: "));
}

}  // namespace
}  // namespace hone::split
