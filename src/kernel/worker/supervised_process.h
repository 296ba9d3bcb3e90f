#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/process/subprocess.h"

namespace hone::kernel {

/// The time from resuming a process until all of its threads were stopped again, by the clocks of
/// this process.
struct Interval {
  enum class End : std::uint8_t {
    frozen,    ///< it stopped itself
    ended,     ///< see `ending`
    timedOut,  ///< it did not stop in time and was killed
  };
  End end = End::frozen;
  double wallNs = 0;
  double cpuNs = 0;  ///< of all threads, including those that ended
  Ending ending;

  [[nodiscard]] bool ok() const { return end == End::frozen; }
};

/// A child process that runs only between resume() and the SIGSTOP with which it freezes itself.
/// Nothing in it can run, or resume it, while it is frozen. Its process group is killed on
/// destruction. Errors are interrupts or machine errors.
class SupervisedProcess {
 public:
  /// Takes ownership of a running child, which leads a process group.
  explicit SupervisedProcess(pid_t child);
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

  pid_t pid_ = -1;
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
