#include "kernel/worker/supervised_process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "kernel/worker/worker_process.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

}  // namespace

/// Kills a process group that exceeds its time, or on an interrupt. Uses a separate thread, because
/// waiting for a stop has no timeout, and polling would disturb the timing.
class SupervisedProcess::Watchdog {
 public:
  enum class Cause : std::uint8_t { none, timeout, interrupt };

  explicit Watchdog(pid_t pid)
      : pid_(pid), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  void arm(milliseconds limit) {
    const std::scoped_lock lock(mutex_);
    checkedNs_ = nowNs();
    tickNs_ = checkedNs_;
    deadlineNs_ = checkedNs_ + limit.count() * 1'000'000;
    cause_ = Cause::none;
  }
  /// Returns why the group was killed. The watchdog kills nothing from now on.
  Cause disarm() {
    const std::scoped_lock lock(mutex_);
    deadlineNs_ = 0;
    return cause_;
  }

 private:
  void watch(const std::stop_token& stop) {
    constexpr milliseconds kPeriod(20);
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, kPeriod, [] { return false; });
      if (deadlineNs_ != 0) {
        check();
      }
    }
  }
  void check() {
    const std::int64_t now = nowNs();
    // While this process was stopped, e.g. by Ctrl-Z, the end of the call went unnoticed.
    constexpr std::int64_t kMaxGapNs = 500'000'000;
    const std::int64_t gapNs = now - std::exchange(checkedNs_, now);
    deadlineNs_ += gapNs > kMaxGapNs ? gapNs : 0;
    const Cause cause = interrupted()       ? Cause::interrupt
                        : now > deadlineNs_ ? Cause::timeout
                                            : Cause::none;
    if (cause != Cause::none) {
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL);
      cause_ = cause;
      deadlineNs_ = 0;
      return;
    }
    // The waiting thread draws nothing meanwhile.
    constexpr std::int64_t kTickNs = 500'000'000;
    if (now - tickNs_ > kTickNs) {
      tickNs_ = now;
      Progress::tick();
    }
  }

  pid_t pid_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::int64_t checkedNs_ = 0;
  std::int64_t tickNs_ = 0;
  std::int64_t deadlineNs_ = 0;  ///< 0: not armed
  Cause cause_ = Cause::none;
  std::jthread thread_;  ///< last, because it uses the other members
};

SupervisedProcess::SupervisedProcess(pid_t child, StopCounts counts)
    : pid_(child), counts_(counts), watchdog_(std::make_unique<Watchdog>(child)) {}

SupervisedProcess::SupervisedProcess(SupervisedProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      counts_(other.counts_),
      frozenCpuNs_(other.frozenCpuNs_),
      watchdog_(std::move(other.watchdog_)) {}

SupervisedProcess& SupervisedProcess::operator=(SupervisedProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(counts_, other.counts_);
  std::swap(frozenCpuNs_, other.frozenCpuNs_);
  std::swap(watchdog_, other.watchdog_);
  return *this;
}

SupervisedProcess::~SupervisedProcess() { kill(); }

Ending SupervisedProcess::kill() {
  if (pid_ <= 0) {
    return {};
  }
  ::kill(-pid_, SIGKILL);  // before reaping, while the group id cannot be reused
  ::kill(pid_, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return endingFrom(status, usage);
}

Result<siginfo_t> SupervisedProcess::awaitOwnStop() const {
  const auto id = static_cast<id_t>(pid_);
  for (;;) {
    siginfo_t info{};
    // Do not reap it yet: the watchdog must not signal a reused pid.
    if (::waitid(P_PID, id, &info, WEXITED | WSTOPPED | WNOWAIT) != 0) {
      if (errno != EINTR) {
        return errnoError("cannot wait for the kernel's process");
      }
      continue;
    }
    if (info.si_code != CLD_STOPPED) {
      return info;
    }
    siginfo_t consumed{};
    ::waitid(P_PID, id, &consumed, WSTOPPED | WNOHANG);
    if (stoppedItself()) {
      return info;
    }
    ::kill(pid_, SIGCONT);
  }
}

Result<Interval> SupervisedProcess::wait(milliseconds limit) {
  if (pid_ <= 0) {
    Interval gone;
    gone.end = Interval::End::ended;
    return gone;
  }
  watchdog_->arm(limit);
  const auto info = awaitOwnStop();
  Interval interval;
  const std::int64_t endNs = nowNs();
  const Watchdog::Cause cause = watchdog_->disarm();
  if (!info) {
    return std::unexpected(info.error());
  }
  if (cause == Watchdog::Cause::none && info->si_code == CLD_STOPPED) {
    const std::int64_t cpuNs = cpuTimeNs(pid_);
    interval.wallNs = static_cast<double>(endNs);
    interval.cpuNs = static_cast<double>(cpuNs - std::exchange(frozenCpuNs_, cpuNs));
    return interval;
  }
  interval.ending = kill();
  if (cause == Watchdog::Cause::interrupt) {
    return interruptedError();
  }
  interval.end = cause == Watchdog::Cause::timeout ? Interval::End::timedOut : Interval::End::ended;
  return interval;
}

Result<Interval> SupervisedProcess::awaitFreeze(milliseconds limit) {
  Interval interval = HONE_TRY(wait(limit));
  interval.wallNs = interval.cpuNs = 0;
  return interval;
}

Result<Interval> SupervisedProcess::resume(milliseconds limit) {
  const std::int64_t wallBefore = nowNs();
  if (pid_ > 0) {
    if (counts_.asked != nullptr) {
      ++*counts_.asked;
    }
    ::kill(pid_, SIGCONT);
  }
  Interval interval = HONE_TRY(wait(limit));
  if (interval.ok()) {
    interval.wallNs -= static_cast<double>(wallBefore);
  }
  return interval;
}

void SupervisedProcess::pinTo(int cpu) const {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  std::error_code code;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid_), code);
  for (const std::filesystem::directory_iterator end; !code && thread != end;
       thread.increment(code)) {
    if (const auto id = parseInt(thread->path().filename().string())) {
      ::sched_setaffinity(static_cast<pid_t>(*id), sizeof set, &set);
    }
  }
}

bool SupervisedProcess::closeFiles() const {
  const rlimit none{0, 0};
  if (::prlimit(pid_, RLIMIT_NOFILE, &none, nullptr) != 0) {
    return false;
  }
  std::error_code code;
  std::filesystem::directory_iterator file(fmt::format("/proc/{}/fd", pid_), code);
  for (const std::filesystem::directory_iterator end; !code && file != end; file.increment(code)) {
    const auto number = parseInt(file->path().filename().string());
    if (!number || *number > STDERR_FILENO) {
      return false;
    }
  }
  return !code;
}

std::size_t SupervisedProcess::threads() const { return threadCount(pid_); }

PinnedThread::PinnedThread() : cpu_(std::max(0, ::sched_getcpu())) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu_, &one);
  ::sched_getaffinity(0, sizeof before_, &before_);
  ::sched_setaffinity(0, sizeof one, &one);
}

PinnedThread::~PinnedThread() { ::sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace hone::kernel
