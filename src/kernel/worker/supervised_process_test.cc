#include "kernel/worker/supervised_process.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

/// A child that counts its stops and calls `work` whenever it is asked to.
struct CountedStops {
  std::uint32_t asked = 1;
  volatile std::uint32_t done = 0;
  std::atomic<bool> mayEnd = false;
};

CountedStops* makeCounts() {
  void* memory = ::mmap(nullptr, sizeof(CountedStops), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (memory) CountedStops();
}

template <typename Work>
SupervisedProcess startCountingChild(CountedStops* counts, Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    for (;;) {
      const std::uint32_t done = counts->done + 1;
      counts->done = done;
      do {
        ::raise(SIGSTOP);
      } while (*const_cast<volatile std::uint32_t*>(&counts->asked) == done);
      work();
    }
  }
  ::setpgid(child, child);
  return SupervisedProcess(child, {.asked = &counts->asked, .done = &counts->done});
}

TEST(SupervisedProcess, ResumesProcessThatAnotherStopped) {
  Shared* shared = makeShared();
  CountedStops* counts = makeCounts();
  // The first call needs ten stops that are not its own.
  SupervisedProcess process = startCountingChild(counts, [=] {
    for (int i = 0; i < 10; ++i) {
      ::kill(::getpid(), SIGSTOP);
      ++shared->spins;
    }
    ++shared->calls;
  });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  for (int call = 1; call <= 3; ++call) {
    ASSERT_TRUE(process.resume(milliseconds(60'000)).value().ok());
    EXPECT_EQ(shared->spins, 10 * call);
    EXPECT_EQ(shared->calls, call);
  }
}

TEST(SupervisedProcess, IsNotResumedByOthers) {
  Shared* shared = makeShared();
  CountedStops* counts = makeCounts();
  SupervisedProcess process = startCountingChild(counts, [=] { ++shared->calls; });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  for (int i = 0; i < 20; ++i) {
    ::kill(process.pid(), SIGCONT);
    int status = 0;
    ASSERT_EQ(::waitpid(process.pid(), &status, WUNTRACED), process.pid());
  }
  EXPECT_EQ(shared->calls, 0);
  ASSERT_TRUE(process.resume(milliseconds(60'000)).value().ok());
  EXPECT_EQ(shared->calls, 1);
}

TEST(SupervisedProcess, CountsTimeBetweenCalls) {
  Shared* shared = makeShared();
  // Without counts, others can resume it.
  SupervisedProcess process = startChild([=] {
    if (++shared->calls == 1) {
      for (long i = 0; i < 20'000'000; ++i) {
        shared->spins = i;
      }
    }
  });
  ASSERT_TRUE(process.awaitFreeze(milliseconds(60'000)).value().ok());
  ::kill(process.pid(), SIGCONT);
  int status = 0;
  ASSERT_EQ(::waitpid(process.pid(), &status, WUNTRACED), process.pid());
  ASSERT_EQ(shared->calls, 1);
  const Interval second = process.resume(milliseconds(60'000)).value();
  const Interval third = process.resume(milliseconds(60'000)).value();
  ASSERT_TRUE(second.ok() && third.ok());
  EXPECT_GT(second.cpuNs, 2e6) << "includes the first call";
  EXPECT_LT(third.cpuNs, second.cpuNs);
}

/// Stops the supervisor for longer than the limit of a call, as Ctrl-Z does.
TEST(SupervisedProcess, AllowsForStopOfSupervisor) {
  CountedStops* counts = makeCounts();
  Shared* shared = makeShared();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    SupervisedProcess process = startCountingChild(counts, [=] {
      ++shared->calls;
      while (!counts->mayEnd) {
      }
    });
    const bool ready = process.awaitFreeze(milliseconds(60'000)).value().ok();
    const bool done = ready && process.resume(milliseconds(1000)).value().ok();
    process.kill();
    ::_exit(done ? 0 : 1);
  }
  while (shared->calls == 0) {
    std::this_thread::yield();
  }
  ::kill(supervisor, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor, &status, WUNTRACED), supervisor);
  ::usleep(1'500'000);  // longer than the limit
  counts->mayEnd = true;
  ::kill(supervisor, SIGCONT);
  ASSERT_EQ(::waitpid(supervisor, &status, 0), supervisor);
  EXPECT_EQ(WEXITSTATUS(status), 0);
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
