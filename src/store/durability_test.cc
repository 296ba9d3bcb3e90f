// Tests the store across processes: killed writers, concurrent writers and readers, a full disk.
// Uses real processes and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/text.h"
#include "store/store.h"

namespace hone::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Durability : public testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_.path() / "hone.db"; }
  [[nodiscard]] Store writer() const { return Store::open(file(), Store::Mode::write).value(); }
  [[nodiscard]] Store reader() const { return Store::open(file(), Store::Mode::read).value(); }

  ScratchFolder folder_ = ScratchFolder::create("hone-store-test").value();
};

/// Pipe on which a child signals its progress.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends[0]);
    closeWriter();
  }
  void closeWriter() { ::close(std::exchange(ends[1], -1)); }
  void signal(char word) const { static_cast<void>(::write(ends[1], &word, 1) == 0); }
  [[nodiscard]] bool receive() const {
    char word = 0;
    return ::read(ends[0], &word, 1) == 1;
  }
  std::array<int, 2> ends = {-1, -1};
};

pid_t runInChild(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(work());
  }
  return pid;
}

int waitForExit(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Trial bulkyTrial(std::int64_t number) {
  Trial trial;
  trial.key = std::to_string(number);
  trial.diagnostics = std::string(2000, 'd');
  return trial;
}

const std::vector<model::Sample> kSamples = {{.round = 0}, {.round = 1}, {.round = 2}};

TEST_F(Durability, KilledWriterKeepsExactlyItsCommits) {
  const std::int64_t run = writer().addRun({}).value();
  std::int64_t committed = 0;
  for (int attempt = 0; attempt < 25; ++attempt) {
    Pipe pipe;
    const pid_t child = runInChild([&] {
      Store store = writer();
      for (std::int64_t i = committed;; ++i) {
        if (!store.addTrial(run, bulkyTrial(i), kSamples)) {
          return 1;
        }
        pipe.signal('c');
      }
    });
    pipe.closeWriter();
    const int before = attempt % 5;
    for (int i = 0; i <= before && pipe.receive(); ++i) {
      ++committed;
    }
    ::usleep(static_cast<useconds_t>(attempt * 137));
    ::kill(child, SIGKILL);
    ASSERT_EQ(waitForExit(child), 128 + SIGKILL);
    while (pipe.receive()) {
      ++committed;
    }
    // The child may have died between a commit and its signal.
    const Store store = reader();
    const auto trials = store.trials(run).value();
    const auto count = static_cast<std::int64_t>(trials.size());
    ASSERT_TRUE(count == committed || count == committed + 1) << count << " of " << committed;
    ASSERT_EQ(store.samples(run).value().size(), trials.size() * kSamples.size());
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(trials[static_cast<std::size_t>(i)].key, std::to_string(i));
    }
    committed = count;
  }
}

TEST_F(Durability, KilledCreatorLeavesCompleteStoreOrNone) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const fs::path fresh = folder_.path() / fmt::format("{}.db", attempt);
    const pid_t child = runInChild([&] {
      auto store = Store::open(fresh, Store::Mode::write);
      ::pause();
      return 0;
    });
    ::usleep(static_cast<useconds_t>(attempt * 400));
    ::kill(child, SIGKILL);
    waitForExit(child);
    if (fs::exists(fresh)) {
      EXPECT_TRUE(Store::open(fresh, Store::Mode::read).value().listRuns(1));
    }
    EXPECT_TRUE(Store::open(fresh, Store::Mode::write).value().addRun({}));
  }
}

TEST_F(Durability, RunBelongsToOneProcess) {
  Pipe pipe;
  store::Run run;
  run.key = "k";
  const pid_t child = runInChild([&] {
    Store store = writer();
    static_cast<void>(store.addRun(run));
    pipe.signal('o');
    ::pause();
    return 0;
  });
  ASSERT_TRUE(pipe.receive());
  Store second = writer();
  EXPECT_TRUE(second.isInUse(1));
  EXPECT_EQ(second.unfinishedRun("k").value(), std::nullopt) << "its process is alive";
  EXPECT_EQ(second.addRun(run).value(), 2) << "a second writer is not refused";
  EXPECT_FALSE(second.isInUse(2)) << "it is its own";
  EXPECT_TRUE(Store::open(file(), Store::Mode::read));
  ::kill(child, SIGKILL);
  waitForExit(child);
  EXPECT_FALSE(second.isInUse(1));
  ASSERT_TRUE(second.finishRun(2, RunStatus::finished, nlohmann::json::object()));
  EXPECT_EQ(second.unfinishedRun("k").value()->id, 1);
}

TEST_F(Durability, AllPathsOfStoreShareLocks) {
  Store first = writer();
  store::Run run;
  run.key = "k";
  ASSERT_TRUE(first.addRun(run));
  const fs::path link = folder_.path() / "link.db";
  fs::create_symlink(file(), link);
  for (const fs::path& path : {link, folder_.path() / "." / "hone.db"}) {
    Store other = Store::open(path, Store::Mode::write).value();
    EXPECT_TRUE(other.isInUse(1));
    EXPECT_EQ(other.unfinishedRun("k").value(), std::nullopt);
  }
}

TEST_F(Durability, WritersTakeTurns) {
  constexpr int kWriters = 4;
  constexpr std::int64_t kTrials = 50;
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i) {
    children.push_back(runInChild([&] {  // all of them may create the store
      Store store = writer();
      const auto run = store.addRun({});
      if (!run) {
        return 1;
      }
      for (std::int64_t trial = 0; trial < kTrials; ++trial) {
        if (!store.addTrial(*run, bulkyTrial(trial), kSamples)) {
          return 2;
        }
      }
      return store.finishRun(*run, RunStatus::finished, nlohmann::json::object()) ? 0 : 3;
    }));
  }
  for (const pid_t child : children) {
    EXPECT_EQ(waitForExit(child), 0);
  }
  const Store store = reader();
  for (std::int64_t run = 1; run <= kWriters; ++run) {
    EXPECT_EQ(store.trials(run).value().size(), static_cast<std::size_t>(kTrials));
    EXPECT_EQ(store.status(run).value(), RunStatus::finished);
  }
}

TEST_F(Durability, ExitingForkedChildDoesNotAffectParent) {
  Store store = writer();
  const std::int64_t run = store.addRun({}).value();
  EXPECT_EQ(waitForExit(runInChild([&] {
              const Store dropped = std::move(store);
              return 0;
            })),
            0);
  EXPECT_TRUE(Store::open(file(), Store::Mode::write)->isInUse(run)) << "the lock remains";
  EXPECT_TRUE(store.addTrial(run, bulkyTrial(1), kSamples));
  EXPECT_EQ(reader().trials(run).value().size(), 1u);
}

TEST_F(Durability, ReaderSeesCommitsOfLiveWriter) {
  Store store = writer();
  const std::int64_t run = store.addRun({}).value();
  const Store open = reader();
  for (std::int64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(store.addTrial(run, bulkyTrial(i), kSamples));
    EXPECT_EQ(waitForExit(runInChild(
                  [&] { return static_cast<int>(reader().trials(run).value().size()); })),
              i + 1);
    EXPECT_EQ(open.samples(run).value().size(), kSamples.size() * static_cast<std::size_t>(i + 1));
  }
}

/// Drops root privileges, which override folder permissions.
void dropPrivileges() {
  if (::geteuid() == 0) {
    ASSERT_EQ(::setgid(65534), 0);
    ASSERT_EQ(::setuid(65534), 0);
  }
}

int countTrialsReadOnly(const fs::path& folder, std::int64_t run) {
  ::chmod(folder.c_str(), 0555);
  const int trials = waitForExit(runInChild([&]() -> int {
    dropPrivileges();
    if (::access(folder.c_str(), W_OK) == 0) {
      return 100;
    }
    const auto store = Store::open(folder / "hone.db", Store::Mode::read);
    return store ? static_cast<int>(store->trials(run).value().size()) : 99;
  }));
  ::chmod(folder.c_str(), 0755);
  return trials;
}

TEST_F(Durability, ReadsInReadOnlyFolder) {
  std::int64_t run = 0;
  {
    Store store = writer();
    run = store.addRun({}).value();
    ASSERT_TRUE(store.addTrial(run, bulkyTrial(1), kSamples));
    EXPECT_EQ(countTrialsReadOnly(folder_.path(), run), 1) << "with a live writer";
  }
  ASSERT_FALSE(fs::exists(file().string() + "-wal"));
  EXPECT_EQ(countTrialsReadOnly(folder_.path(), run), 1) << "without a log";
}

TEST_F(Durability, ReadsLogOfKilledWriterInReadOnlyFolder) {
  const std::int64_t run = writer().addRun({}).value();
  waitForExit(runInChild([&] {
    Store store = writer();
    static_cast<void>(store.addTrial(run, bulkyTrial(1), kSamples));
    ::raise(SIGKILL);
    return 0;
  }));
  ASSERT_GT(fs::file_size(file().string() + "-wal"), 0u);
  EXPECT_EQ(countTrialsReadOnly(folder_.path(), run), 1) << "with both files";
  fs::remove(file().string() + "-shm");
  EXPECT_EQ(countTrialsReadOnly(folder_.path(), run), 1) << "without -shm";
  EXPECT_EQ(reader().trials(run).value().size(), 1u) << "without -shm, in a writable folder";
}

TEST_F(Durability, UnwritableFileIsMachineError) {
  static_cast<void>(writer());
  EXPECT_EQ(waitForExit(runInChild([&] {
              ::chmod(file().c_str(), 0444);
              ::chmod((file().string() + ".lock").c_str(), 0666);
              dropPrivileges();
              const auto store = Store::open(file(), Store::Mode::write);
              return !store && store.error().fault == Fault::machine ? 0 : 1;
            })),
            0);
}

/// Adds trials until one fails; returns "<added> <fault> <message>".
std::string addUntilError(Store& store, std::int64_t run) {
  for (std::int64_t i = 0; i < 100'000; ++i) {
    if (const auto added = store.addTrial(run, bulkyTrial(i), kSamples); !added) {
      const bool machine = added.error().fault == Fault::machine;
      return fmt::format("{} {} {}", i, machine ? "machine" : "user", added.error().message);
    }
  }
  return "no error";
}

/// Mounts a small private file system that ends with the process.
bool mountTiny(const fs::path& folder) {
  const int kinds = CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
  return ::unshare(kinds) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder.c_str(), "tmpfs", 0, "size=1m") == 0;
}

TEST_F(Durability, FullDiskIsMachineErrorAndLosesNothing) {
  const fs::path tiny = folder_.path() / "tiny";
  const fs::path report = folder_.path() / "report";
  fs::create_directory(tiny);
  const int code = waitForExit(runInChild([&] {
    if (!mountTiny(tiny)) {
      return 77;
    }
    Store store = Store::open(tiny / "hone.db", Store::Mode::write).value();
    const std::int64_t run = store.addRun({}).value();
    const std::string result = addUntilError(store, run);
    const auto seen = Store::open(tiny / "hone.db", Store::Mode::read).value().trials(run);
    ::mount("none", tiny.c_str(), "tmpfs", MS_REMOUNT, "size=8m");
    const bool recovered = store.addTrial(run, bulkyTrial(-1), kSamples).has_value();
    const auto after = store.trials(run).value().size();
    std::ofstream(report) << fmt::format("{}\n{}\n{} {}", result, seen->size(), recovered, after);
    return 0;
  }));
  if (code == 77) {
    GTEST_SKIP() << "cannot mount a file system";
  }
  ASSERT_EQ(code, 0);
  const auto lines = splitAt(readFile(report).value(), '\n');
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr(" machine the disk is full"));
  const std::int64_t added = parseInt(splitAt(lines[0], ' ')[0]).value();
  EXPECT_GT(added, 10);
  EXPECT_EQ(lines[1], std::to_string(added));
  EXPECT_EQ(lines[2], fmt::format("true {}", added + 1));
}

TEST_F(Durability, WriteErrorIsMachineErrorAndLosesNothing) {
  const fs::path report = folder_.path() / "report";
  ASSERT_EQ(waitForExit(runInChild([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              Store store = writer();
              const std::int64_t run = store.addRun({}).value();
              const rlimit limit{512UL << 10U, 512UL << 10U};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              std::ofstream(report) << addUntilError(store, run);
              return 0;
            })),
            0);
  const std::string result = readFile(report).value();
  EXPECT_THAT(result, HasSubstr(" machine the store"));
  EXPECT_THAT(result, HasSubstr("File too large"));
  EXPECT_EQ(std::to_string(reader().trials(1).value().size()), splitAt(result, ' ')[0]);
}

}  // namespace
}  // namespace hone::store
