#include "iree/compile/server/compile_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "base/process/write_rules.h"
#include "base/text/text.h"

namespace hone::iree {
namespace {

using Status = CompileReport::Status;
using ::testing::HasSubstr;

constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;

/// Replaces the compiler: misbehaves as the job's first flag says.
int misbehave(const CompileJob& job) {
  const std::string what = job.flags.front();
  if (what == "abort") {
    std::abort();
  }
  if (what == "hang") {
    for (;;) {
      ::pause();
    }
  }
  if (what == "spin") {
    for (std::atomic<int> turns = 0;; ++turns) {
    }
  }
  if (what == "eat") {
    try {
      for (;;) {
        // Touched and leaked, so that it counts as resident.
        auto* block = new char[std::size_t{64} << 20U];  // NOLINT(*-owning-memory)
        std::memset(block, 1, std::size_t{64} << 20U);
      }
    } catch (const std::bad_alloc&) {
      std::fputs("error: std::bad_alloc\n", stderr);
    }
    return 1;
  }
  if (what == "kill the server") {
    ::kill(::getppid(), SIGKILL);
    ::pause();
  }
  if (what == "kill the server once") {
    // The second attempt finds the marker file of the first.
    const std::filesystem::path mark = job.source;
    if (!std::filesystem::exists(mark)) {
      (void)writeFile(mark, "");
      ::kill(::getppid(), SIGKILL);
      ::pause();
    }
    return 0;
  }
  if (what == "fork and leave") {
    if (::fork() == 0) {
      ::execlp("sleep", "sleep", "4321", nullptr);
    }
    return 0;
  }
  if (what == "fill the folder") {
    const std::string part(std::size_t{1} << 20U, 'x');
    for (int i = 0;; ++i) {
      (void)writeScratchFile(fmt::format("{}/{}", std::getenv("TMPDIR"), i % 64), part);
      ::usleep(1000);
    }
  }
  if (what == "write a large file") {
    const std::string whole(std::size_t{32} << 20U, 'x');
    return writeScratchFile(fmt::format("{}/file", std::getenv("TMPDIR")), whole) ? 0 : 1;
  }
  if (what == "write elsewhere") {
    return writeScratchFile(job.source, "x") ? 1 : 0;
  }
  if (what == "write the output") {
    return writeScratchFile(job.output, "x") ? 0 : 1;
  }
  if (what == "read the secret") {
    const std::string left = readFile("/proc/self/environ").value_or("");
    return std::getenv("HONE_TEST_API_KEY") == nullptr && std::getenv("PATH") != nullptr &&
                   !left.contains("kettle")
               ? 0
               : 1;
  }
  if (what == "say") {
    std::fputs("/some/place/x.mlir:3:7: error: it is wrong\nnote: see above\n", stderr);
    return 1;
  }
  return 0;
}

CompileJob job(const std::string& what, std::chrono::milliseconds wall = std::chrono::seconds(20)) {
  CompileJob job;
  job.flags = {what};
  job.limits = {wall, kMemory};
  return job;
}

CompilePool start(std::size_t workers = 2) {
  return CompilePool::start({{}, workers, misbehave}).value();
}

TEST(CompilePool, ReportsEveryJobOnceIfOthersFail) {
  CompilePool pool = start(3);
  std::map<std::uint64_t, std::string> asked;
  for (const char* what : {"fine", "abort", "say", "fine", "abort", "fine"}) {
    asked[pool.submit(job(what))] = what;
  }
  std::set<std::uint64_t> seen;
  while (pool.pending() > 0) {
    const CompileReport report = pool.next().value();
    EXPECT_TRUE(seen.insert(report.id).second);
    EXPECT_EQ(report.status == Status::ok, asked[report.id] == "fine") << asked[report.id];
  }
  EXPECT_EQ(seen.size(), asked.size());
}

TEST(CompilePool, NamesTheSignalOfACrash) {
  CompilePool pool = start();
  const CompileReport report = pool.runOne(job("abort")).value();
  EXPECT_EQ(report.status, Status::failed);
  EXPECT_THAT(report.message, HasSubstr("SIGABRT"));
}

TEST(CompilePool, StopsHangsAndEndlessLoops) {
  CompilePool pool = start();
  for (const char* what : {"hang", "spin"}) {
    const CompileReport report = pool.runOne(job(what, std::chrono::milliseconds(200))).value();
    EXPECT_EQ(report.status, Status::timedOut);
    EXPECT_THAT(report.message, HasSubstr("stopped after"));
  }
}

TEST(CompilePool, LimitsMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "address space cannot be limited under a sanitizer";
#endif
  CompilePool pool = start();
  const CompileReport report = pool.runOne(job("eat")).value();
  EXPECT_EQ(report.status, Status::outOfMemory);
  EXPECT_THAT(report.message, HasSubstr("1.0 GiB"));
}

TEST(CompilePool, LimitsDiskSpace) {
  CompilePool pool = start();
  for (const char* what : {"fill the folder", "write a large file"}) {
    CompileJob filling = job(what);
    filling.limits.diskBytes = std::uint64_t{4} << 20U;
    const CompileReport report = pool.runOne(filling).value();
    EXPECT_EQ(report.status, Status::failed);
    EXPECT_THAT(report.message, HasSubstr("wrote more than its limit")) << what;
  }
}

TEST(CompilePool, JobsCannotReadSecrets) {
  ::setenv("HONE_TEST_API_KEY", "kettle", 1);
  CompilePool pool = start();
  ::unsetenv("HONE_TEST_API_KEY");
  EXPECT_EQ(pool.runOne(job("read the secret")).value().status, Status::ok);
}

TEST(CompilePool, JobsWriteOnlyTheirFiles) {
  const ScratchFolder folder = ScratchFolder::create("hone-pool-test").value();
  const ScratchFolder other = ScratchFolder::create("hone-pool-test").value();
  if (!WriteRules::below({})) {
    GTEST_SKIP() << "this system has no Landlock";
  }
  CompilePool pool = start();
  CompileJob writing = job("write elsewhere");
  writing.source = other.path() / "file";
  writing.output = folder.path() / "out";
  EXPECT_EQ(pool.runOne(writing).value().status, Status::ok);
  EXPECT_FALSE(std::filesystem::exists(writing.source));
  writing.flags = {"write the output"};
  EXPECT_EQ(pool.runOne(writing).value().status, Status::ok);
  EXPECT_TRUE(std::filesystem::exists(writing.output));
  writing.flags = {"write elsewhere",
                   "--iree-hal-dump-executable-sources-to=" + other.path().string()};
  EXPECT_EQ(pool.runOne(writing).value().status, Status::failed)
      << "a dump that the user asked for";
  EXPECT_TRUE(std::filesystem::exists(writing.source));
}

TEST(CompilePool, ReturnsFirstErrorAndCompleteLog) {
  CompilePool pool = start();
  const CompileReport report = pool.runOne(job("say")).value();
  EXPECT_EQ(report.message, "it is wrong (at x.mlir:3:7)");
  EXPECT_THAT(report.diagnostics, HasSubstr("note: see above"));
}

TEST(CompilePool, RetriesJobAfterForkServerIsKilled) {
  CompilePool pool = start();
  const ScratchFolder folder = ScratchFolder::create("hone-pool-test").value();
  CompileJob once = job("kill the server once");
  once.source = folder.path() / "mark";
  once.output = folder.path() / "out";
  EXPECT_EQ(pool.runOne(once).value().status, Status::ok);
  EXPECT_EQ(pool.runOne(job("fine")).value().status, Status::ok);
}

TEST(CompilePool, FailsJobThatKillsTheForkServerTwice) {
  CompilePool pool = start();
  const CompileReport report = pool.runOne(job("kill the server")).value();
  EXPECT_EQ(report.status, Status::failed);
  EXPECT_THAT(report.message, HasSubstr("died twice"));
  EXPECT_EQ(pool.runOne(job("fine")).value().status, Status::ok);
}

/// Returns the number of processes whose command line contains the text.
int countProcesses(const std::string& text) {
  const auto found = runCommand({{findProgram("pgrep"), "-fc", text}, {}, {}}).value();
  return static_cast<int>(parseInt(trim(found.out)).value_or(0));
}

TEST(CompilePool, KillsProcessesLeftByAJob) {
  CompilePool pool = start();
  EXPECT_EQ(pool.runOne(job("fork and leave")).value().status, Status::ok);
  for (int i = 0; i < 100 && countProcesses("[s]leep 4321") > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(countProcesses("[s]leep 4321"), 0);
}

TEST(CompilePool, ReportsMissingLibrary) {
  const auto pool = CompilePool::start({"/no/such/library.so", 1, {}});
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().fault, Fault::machine);
  EXPECT_THAT(pool.error().message, HasSubstr("/no/such/library.so"));
}

}  // namespace
}  // namespace hone::iree
