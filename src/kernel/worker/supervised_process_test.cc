#include "kernel/worker/supervised_process.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

/// Counters that a child and this process share.
struct Shared {
  std::atomic<int> calls = 0;
  std::atomic<long> spins = 0;
};

Shared* makeShared() {
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (memory) Shared();
}

/// Starts a child that freezes itself after every `work`.
template <typename Work>
SupervisedProcess startChild(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    for (;;) {
      ::raise(SIGSTOP);
      work();
    }
  }
  ::setpgid(child, child);
  return SupervisedProcess(child);
}

TEST(SupervisedProcess, RunsOnlyWhenResumed) {
  Shared* shared = makeShared();
  SupervisedProcess process = startChild([=] { ++shared->calls; });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  EXPECT_EQ(shared->calls, 0);
  for (int i = 1; i <= 3; ++i) {
    const Interval interval = process.resume(milliseconds(60'000)).value();
    ASSERT_TRUE(interval.ok());
    EXPECT_GT(interval.wallNs, 0);
    EXPECT_GT(interval.cpuNs, 0);
    EXPECT_EQ(shared->calls, i);
  }
}

TEST(SupervisedProcess, StopsAllThreads) {
  Shared* shared = makeShared();
  SupervisedProcess process = startChild([=] {
    if (shared->calls++ == 0) {
      std::thread([=] {
        for (;;) {
          ++shared->spins;
        }
      }).detach();
      while (shared->spins == 0) {
        std::this_thread::yield();
      }
    }
  });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  ASSERT_TRUE(process.resume(milliseconds(60'000)).value().ok());
  EXPECT_EQ(process.threads(), 2u);
  const long before = shared->spins;
  for (int i = 0; i < 1000; ++i) {
    std::this_thread::yield();
  }
  EXPECT_EQ(shared->spins, before);
  ASSERT_TRUE(process.resume(milliseconds(60'000)).value().ok());
}

TEST(SupervisedProcess, KillsLateProcess) {
  SupervisedProcess process = startChild([] {
    for (;;) {
      ::pause();
    }
  });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  const Interval interval = process.resume(milliseconds(50)).value();
  EXPECT_EQ(interval.end, Interval::End::timedOut);
  EXPECT_FALSE(process.alive());
  EXPECT_EQ(process.resume(milliseconds(50)).value().end, Interval::End::ended);
}

TEST(SupervisedProcess, ReportsExit) {
  SupervisedProcess process = startChild([] { ::_exit(7); });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  const Interval interval = process.resume(milliseconds(60'000)).value();
  EXPECT_EQ(interval.end, Interval::End::ended);
  EXPECT_EQ(interval.ending.code, 7);
  EXPECT_FALSE(process.alive());
}

TEST(SupervisedProcess, ForbidsFilesAndFindsOpenOnes) {
  Shared* shared = makeShared();
  SupervisedProcess process = startChild([=] { shared->calls = ::dup(STDERR_FILENO); });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  // The child inherits descriptors of the test program, which a kernel's process does not.
  (void)process.closeFiles();
  ASSERT_TRUE(process.resume(milliseconds(60'000)).value().ok());
  EXPECT_EQ(shared->calls, -1);
  SupervisedProcess clean = startChild([=] { ::close_range(3, ~0U, 0); });
  ASSERT_TRUE(clean.awaitFreeze(milliseconds(60'000)).value().ok());
  ASSERT_TRUE(clean.resume(milliseconds(60'000)).value().ok());
  EXPECT_TRUE(clean.closeFiles());
}

}  // namespace
}  // namespace hone::kernel
