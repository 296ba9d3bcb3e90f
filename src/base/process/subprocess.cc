#include "base/process/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/clock.h"
#include "base/file.h"
#include "base/process/cleanup_command.h"
#include "base/process/environment.h"
#include "base/process/file_rules.h"
#include "base/process/file_view.h"
#include "base/process/interrupt.h"
#include "base/progress.h"
#include "base/text/text.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HONE_SANITIZED 1
#endif

namespace hone {
namespace {

/// Pipe that closes both ends on destruction.
struct Pipe {
  int read = -1;
  int write = -1;

  static Result<Pipe> open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return errnoError("cannot open a pipe");
    }
    // Another fork of this process may hold the write end, so reads must not wait for its EOF.
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pipe(ends[0], ends[1]);
  }
  Pipe(int readEnd, int writeEnd) : read(readEnd), write(writeEnd) {}
  Pipe(Pipe&& other) noexcept
      : read(std::exchange(other.read, -1)), write(std::exchange(other.write, -1)) {}
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  Pipe& operator=(Pipe&&) = delete;
  ~Pipe() {
    closeRead();
    closeWrite();
  }
  void closeRead() { closeEnd(read); }
  void closeWrite() { closeEnd(write); }

 private:
  static void closeEnd(int& end) {
    if (end >= 0) {
      ::close(std::exchange(end, -1));
    }
  }
};

/// Everything that a child needs between fork and exec, where it must not allocate memory.
struct Child {
  pid_t parent;
  const Limits& limits;
  const FileView* view;
  const FileRules* rules;
  bool runsFirst;
  char** argv;
  char** environment;
};

/// Gives the calling process real-time priority. Returns false if that is not allowed.
bool runFirst() {
  const sched_param lowest{.sched_priority = 1};
  return ::sched_setscheduler(0, SCHED_RR, &lowest) == 0;
}

/// Sends errno to the parent and exits.
[[noreturn]] void reportAndExit(int report) {
  const int code = errno;
  [[maybe_unused]] const auto ignored = ::write(report, &code, sizeof code);
  ::_exit(127);
}

/// Sets up streams and limits in the child and executes the program. Never returns.
[[noreturn]] void becomeProgram(const Child& child, int out, int err, int report) {
  confineChild(child.parent, child.limits);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDIN_FILENO);
  }
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (child.view != nullptr) {
    child.view->enter();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // new credentials clear it
  }
  if (child.runsFirst) {
    static_cast<void>(runFirst());
  }
  if (child.rules == nullptr || child.rules->enforce()) {
    ::execve(child.argv[0], child.argv, child.environment);
  }
  reportAndExit(report);
}

/// Limit of the captured output per stream; the rest is discarded.
constexpr std::size_t kMaxOutputBytes = std::size_t{64} << 20U;

/// Reads the available bytes, at most one full pipe so that an endless writer cannot block the
/// caller. Closes the pipe at the end of the stream.
void drain(Pipe& pipe, std::string& into) {
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills what is used
  constexpr int kFullPipe = (1 << 20) / 65536;
  for (int turn = 0; turn < kFullPipe && pipe.read >= 0; ++turn) {
    const ssize_t got = ::read(pipe.read, buffer.data(), buffer.size());
    if (got > 0) {
      const std::size_t room = kMaxOutputBytes - std::min(kMaxOutputBytes, into.size());
      into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      pipe.closeRead();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

/// Returns the poll timeout in ms. It is short because an interrupt just before the poll does not
/// wake it.
int pollTimeoutMs(std::int64_t deadlineNs) {
  constexpr std::int64_t kMaxTimeoutMs = 1000;
  if (deadlineNs == 0) {
    return kMaxTimeoutMs;
  }
  return static_cast<int>(std::min(kMaxTimeoutMs, (deadlineNs - nowNs()) / 1'000'000 + 1));
}

/// Limits that the parent enforces while a child runs.
struct Watch {
  std::int64_t deadlineNs = 0;  ///< 0: none
  bool always = false;          ///< ignore interrupts
  std::span<const std::filesystem::path> folders;
  std::uint64_t maxDiskBytes = 0;  ///< in the folders; 0: unlimited

  [[nodiscard]] bool diskFilled() const {
    return maxDiskBytes > 0 && diskUsage(folders) > maxDiskBytes;
  }
};

/// Collects both streams until the child exits, even if other processes still hold them. Returns
/// the reason to kill it: a limit or an interrupt that came first, or `exited`.
Ending::How collect(Pipe& out, Pipe& err, int child, Finished& finished, const Watch& watch) {
  constexpr std::int64_t kDiskPeriodNs = 250'000'000;
  std::int64_t nextDiskNs = nowNs() + kDiskPeriodNs;
  while (true) {
    std::array<pollfd, 3> ends = {pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0},
                                  pollfd{child, POLLIN, 0}};
    const bool watchesDisk = watch.maxDiskBytes > 0;
    const std::int64_t wakeNs =
        watchesDisk && (watch.deadlineNs == 0 || nextDiskNs < watch.deadlineNs) ? nextDiskNs
                                                                                : watch.deadlineNs;
    const int ready = ::poll(ends.data(), ends.size(), pollTimeoutMs(wakeNs));
    const bool ended = ready > 0 && ends[2].revents != 0;
    drain(out, finished.out);
    drain(err, finished.err);
    Progress::tick();
    const std::int64_t now = nowNs();
    if (watchesDisk && (ended || now >= nextDiskNs)) {
      nextDiskNs = now + kDiskPeriodNs;
      if (watch.diskFilled()) {
        return Ending::How::filledDisk;
      }
    }
    if (ended) {
      return Ending::How::exited;
    }
    if ((interrupted() && !watch.always) || (watch.deadlineNs > 0 && now >= watch.deadlineNs)) {
      return Ending::How::timedOut;
    }
  }
}

/// Collects output until the child exits or exceeds a limit, then kills its group and reaps it.
Result<Finished> await(pid_t child, Pipe& out, Pipe& err, const Watch& watch) {
  Finished finished;
  // glibc 2.36 declares pidfd_open without extern "C", which does not link.
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  const auto noHandle =
      errnoError("cannot watch a child process (pidfd_open needs Linux 5.3 or later)");
  const Ending::How how =
      handle < 0 ? Ending::How::timedOut : collect(out, err, handle, finished, watch);
  ::kill(-child, SIGKILL);  // before reaping, while the group id cannot be reused
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (handle < 0) {
    return noHandle;
  }
  ::close(handle);
  finished.ending = endingFrom(status, usage);
  if (how != Ending::How::exited) {
    finished.ending.how = how;
  }
  return finished;
}

bool isProgram(const std::string& file) {
  std::error_code code;
  return std::filesystem::is_regular_file(file, code) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

bool mayRunFirst() {
  static const bool may = [] {
    // Negative: real-time programs may occupy all processors forever.
    const auto runtime = readFile("/proc/sys/kernel/sched_rt_runtime_us");
    if (!runtime || runtime->starts_with('-')) {
      return false;
    }
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(runFirst() ? 0 : 1);
    }
    int status = 1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  }();
  return may;
}

void confineChild(pid_t parent, const Limits& limits) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(127);  // the parent died between fork and prctl
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
#ifndef HONE_SANITIZED  // the shadow memory of sanitizers exceeds the limit
  if (limits.memoryBytes > 0) {
    const rlimit memory{limits.memoryBytes, limits.memoryBytes};
    ::setrlimit(RLIMIT_AS, &memory);
  }
#endif
  rlimit size{};
  if (limits.diskBytes > 0 && ::getrlimit(RLIMIT_FSIZE, &size) == 0) {
    size.rlim_cur = std::min<rlim_t>(size.rlim_cur, limits.diskBytes);
    ::setrlimit(RLIMIT_FSIZE, &size);
  }
  std::signal(SIGXFSZ, SIG_DFL);  // the parent may ignore it
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) {
    std::signal(SIGHUP, SIG_IGN);
  }
}

std::string Ending::describe() const {
  switch (how) {
    case How::exited:
      return fmt::format("exit code {}", code);
    case How::signalled: {
      const char* name = ::sigabbrev_np(code);
      return name != nullptr ? fmt::format("killed by SIG{}", name)
                             : fmt::format("killed by signal {}", code);
    }
    case How::timedOut:
      return fmt::format("stopped after {}", humanTime(static_cast<double>(wallNs)));
    case How::filledDisk:
      return "stopped because its files exceed the limit of disk space";
  }
  return "unknown";
}

bool Ending::wroteTooMuch() const {
  return how == How::filledDisk || (how == How::signalled && code == SIGXFSZ);
}

Result<void> checkFileSizeLimit(const Ending& ending, const Limits& limits) {
  rlimit size{};
  if (ending.wroteTooMuch() && ::getrlimit(RLIMIT_FSIZE, &size) == 0 &&
      size.rlim_cur != RLIM_INFINITY &&
      (limits.diskBytes == 0 || size.rlim_cur < limits.diskBytes)) {
    return machineError("files may not exceed {} KiB; raise the limit with `ulimit -f`",
                        size.rlim_cur / 1024);
  }
  return {};
}

std::uint64_t diskLimit(const std::filesystem::path& folder) {
  constexpr std::uint64_t kMaxDiskBytes = std::uint64_t{64} << 30U;
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(folder, code);
  return code ? 0 : std::min<std::uint64_t>(kMaxDiskBytes, space.available / 2 + 1);
}

std::uint64_t diskUsage(std::span<const std::filesystem::path> folders) {
  namespace fs = std::filesystem;
  std::uint64_t bytes = 0;
  std::error_code code;
  for (const fs::path& folder : folders) {
    for (auto at = fs::recursive_directory_iterator(folder, code);
         !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
      struct stat status{};  // blocks, since a sparse file occupies less than its size
      if (::lstat(at->path().c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
        bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
      }
    }
  }
  return bytes;
}

Ending endingFrom(int waitStatus, const rusage& usage) {
  Ending ending;
  if (WIFSIGNALED(waitStatus)) {
    ending.how = Ending::How::signalled;
    ending.code = WTERMSIG(waitStatus);
  } else {
    ending.code = WEXITSTATUS(waitStatus);
  }
  const auto nanoseconds = [](const timeval& time) {
    return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
  };
  ending.cpuNs = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  ending.maxRssBytes = usage.ru_maxrss * 1024;
  return ending;
}

namespace {

Result<Finished> runToEnd(const Command& command, bool always) {
  if (interrupted() && !always) {
    return interruptedError();
  }
  if (command.argv.empty()) {
    return machineError("cannot start a command without a program");
  }
  Pipe out = HONE_TRY(Pipe::open());
  Pipe err = HONE_TRY(Pipe::open());
  Pipe report = HONE_TRY(Pipe::open());
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = environmentWith(command.environment, command.inherit);
  const std::vector<char*> argv = execPointers(arguments);
  const std::vector<char*> environment = execPointers(variables);

  const std::vector<std::filesystem::path> folders =
      command.writable.value_or(std::vector<std::filesystem::path>());
  const auto rules = command.writable ? FileRules::changeOnlyBelow(folders) : std::nullopt;
  const Child prepared{.parent = ::getpid(),
                       .limits = command.limits,
                       .view = command.view,
                       .rules = command.rules != nullptr ? command.rules
                                : rules                  ? &*rules
                                                         : nullptr,
                       .runsFirst = command.runsFirst && mayRunFirst(),
                       .argv = const_cast<char**>(argv.data()),
                       .environment = const_cast<char**>(environment.data())};
  Watch watch{.always = always, .folders = folders};
  if (command.limits.diskBytes > 0 && !folders.empty()) {
    watch.maxDiskBytes = diskUsage(folders) + command.limits.diskBytes;
  }
  const std::int64_t startNs = nowNs();
  const pid_t child = ::fork();
  if (child < 0) {
    return errnoError(fmt::format("cannot start {}", command.argv.front()));
  }
  if (child == 0) {
    becomeProgram(prepared, out.write, err.write, report.write);
  }
  ::setpgid(child, child);  // also in the parent, so that the group exists before it is killed
  out.closeWrite();
  err.closeWrite();
  report.closeWrite();

  watch.deadlineNs =
      command.limits.wall.count() > 0 ? startNs + command.limits.wall.count() * 1'000'000 : 0;
  Finished finished = HONE_TRY(await(child, out, err, watch));
  finished.ending.wallNs = nowNs() - startNs;
  int startError = 0;
  if (::read(report.read, &startError, sizeof startError) == sizeof startError) {
    errno = startError;
    return errnoError(fmt::format("cannot start {}", command.argv.front()));
  }
  if (interrupted() && !always) {
    return interruptedError();
  }
  return finished;
}

}  // namespace

Result<Finished> runCommand(const Command& command) { return runToEnd(command, false); }

Result<Finished> runCleanup(const Command& command) { return runToEnd(command, true); }

std::string findProgram(std::string_view name) {
  if (name.contains('/')) {
    return isProgram(std::string(name)) ? std::string(name) : "";
  }
  const char* path = std::getenv("PATH");
  for (const std::string& folder : splitAt(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string full = fmt::format("{}/{}", folder, name);
    if (isProgram(full)) {
      return full;
    }
  }
  return "";
}

}  // namespace hone
