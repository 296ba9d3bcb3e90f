#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/process/subprocess.h"

namespace hone::kernel {

/// Time from resuming a process until all of its threads are stopped again, read by the supervisor.
struct Interval {
  enum class End : std::uint8_t {
    frozen,    ///< it stopped itself
    ended,     ///< see `ending`
    timedOut,  ///< it did not stop in time and was killed
  };
  End end = End::frozen;
  double wallNs = 0;
  /// CPU time of all threads, including those that ended. Counted from the end of the previous
  /// interval, so that a process that runs while it should be frozen gains nothing.
  double cpuNs = 0;
  Ending ending;

  [[nodiscard]] bool ok() const { return end == End::frozen; }
};

/// Counts that distinguish the stops of a process from those caused by other processes, in memory
/// that it shares with the supervisor. The process increments `done` before it stops.
struct StopCounts {
  std::uint32_t* asked = nullptr;
  const volatile std::uint32_t* done = nullptr;
};

/// A child process that runs only between resume() and the SIGSTOP with which it freezes itself.
/// Nothing in it can run, or resume it, while it is frozen. If another process stops it, it is
/// resumed at once. Its process group is killed on destruction. Errors are interrupts or machine
/// errors.
class SupervisedProcess {
 public:
  /// Takes ownership of a running child, which leads a process group. The counts must outlive it.
  /// Without counts, every stop counts as its own.
  explicit SupervisedProcess(pid_t child, StopCounts counts = {});
  SupervisedProcess(SupervisedProcess&& other) noexcept;
  SupervisedProcess& operator=(SupervisedProcess&& other) noexcept;
  SupervisedProcess(const SupervisedProcess&) = delete;
  SupervisedProcess& operator=(const SupervisedProcess&) = delete;
  ~SupervisedProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool alive() const { return pid_ > 0; }
  /// Waits until the running process freezes itself for the first time. Its times are 0.
  [[nodiscard]] Result<Interval> awaitFreeze(std::chrono::milliseconds limit);
  /// Resumes the frozen process and waits until it freezes itself again.
  [[nodiscard]] Result<Interval> resume(std::chrono::milliseconds limit);
  /// Kills the process group and returns how the process ended.
  Ending kill();

  /// Restricts the frozen process to the CPU.
  void pinTo(int cpu) const;
  /// Forbids the frozen process to open files from now on. Returns false if it keeps files open
  /// besides its three standard descriptors, or if the limit cannot be set.
  [[nodiscard]] bool closeFiles() const;
  /// Returns the number of threads; 0 if the process has ended.
  [[nodiscard]] std::size_t threads() const;

 private:
  class Watchdog;
  [[nodiscard]] Result<Interval> wait(std::chrono::milliseconds limit);
  /// Waits for the next stop of the process itself, or its end.
  [[nodiscard]] Result<siginfo_t> awaitOwnStop() const;
  [[nodiscard]] bool stoppedItself() const {
    return counts_.done == nullptr || *counts_.done == *counts_.asked;
  }

  pid_t pid_ = -1;
  StopCounts counts_;
  std::int64_t frozenCpuNs_ = 0;  ///< CPU time at the last stop
  std::unique_ptr<Watchdog> watchdog_;
};

/// Binds this thread to the CPU on which it runs, until destruction.
class PinnedThread {
 public:
  PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread();

  [[nodiscard]] int cpu() const { return cpu_; }

 private:
  int cpu_ = 0;
  cpu_set_t before_{};
};

}  // namespace hone::kernel
