#include "kernel/worker/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/process/environment.h"
#include "base/process/subprocess.h"
#include "kernel/worker/python/python_fork_server.h"
#include "kernel/worker/runner/control_page.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

/// Output of a kernel, which is kept in memory.
constexpr std::uint64_t kMaxOutputBytes = std::uint64_t{64} << 20U;

constexpr auto kLoaderVariables = std::to_array<std::string_view>(
    {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"});
constexpr auto kPythonVariables = std::to_array<std::string_view>(
    {"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "CC",
     "CXX", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES"});

bool isInherited(std::string_view name, Inherited inherited) {
  const auto has = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
  return has(kLoaderVariables) || (inherited == Inherited::python && has(kPythonVariables));
}

/// Moves the descriptors to their fixed numbers, whatever numbers they have now, and closes all
/// others.
void placeDescriptors(const ChildDescriptors& given, int null) {
  constexpr int kAbove = 16;
  const std::array<std::pair<int, int>, 7> places = {{{null, STDIN_FILENO},
                                                      {given.log, STDOUT_FILENO},
                                                      {given.log, STDERR_FILENO},
                                                      {given.requests, kRequests},
                                                      {given.replies, kReplies},
                                                      {given.control, kControl},
                                                      {given.status, kStatus}}};
  std::array<int, 7> high{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    high[i] = places[i].first < 0 ? -1 : ::fcntl(places[i].first, F_DUPFD, kAbove);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (high[i] >= 0) {
      ::dup2(high[i], places[i].second);
    } else {
      ::close(places[i].second);
    }
  }
  ::close_range(kStatus + 1, ~0U, 0);
}

/// Executes the program of the command with these descriptors.
Result<pid_t> startProgram(const WorkerCommand& command, const ChildDescriptors& descriptors) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = childEnvironment(Inherited::loader, command.environment);
  const std::vector<char*> argv = execPointers(arguments);
  const std::vector<char*> environment = execPointers(variables);
  const pid_t self = ::getpid();
  const pid_t child = null >= 0 ? ::fork() : -1;
  if (child == 0) {
    confineChild(self, {milliseconds(0), command.memoryBytes, kMaxOutputBytes});
    placeDescriptors(descriptors, null);
    ::execve(argv[0], argv.data(), environment.data());
    ::_exit(127);
  }
  const auto failed = errnoError(fmt::format("cannot start {}", command.argv.front()));
  ::close(null);
  if (child < 0) {
    return failed;
  }
  ::setpgid(child, child);  // also in the parent, so that the group exists before it is killed
  return child;
}

std::filesystem::path procFolder(pid_t pid) { return fmt::format("/proc/{}", pid); }

}  // namespace

std::vector<std::string> childEnvironment(
    Inherited inherited, const std::vector<std::pair<std::string, std::string>>& own) {
  std::vector<std::string> variables = environmentWith(own);
  std::erase_if(variables, [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('='));
    return !isInherited(name, inherited) &&
           std::ranges::none_of(own, [&](const auto& each) { return each.first == name; });
  });
  return variables;
}

Result<pid_t> startProcess(const WorkerCommand& command, const ChildDescriptors& descriptors) {
  if (command.forkServer == nullptr) {
    return startProgram(command, descriptors);
  }
  return command.forkServer->fork(
      {command.folder, command.memoryBytes, command.environment, command.tilelang}, descriptors);
}

bool endsSoon(pid_t pid) {
  constexpr int kTimeoutMs = 200;
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (handle < 0) {
    return true;
  }
  pollfd end{handle, POLLIN, 0};
  const bool ended = ::poll(&end, 1, kTimeoutMs) > 0;
  ::close(handle);
  return ended;
}

std::int64_t cpuTimeNs(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (pid <= 0 || ::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::size_t threadCount(pid_t pid) {
  std::error_code code;
  std::size_t count = 0;
  std::filesystem::directory_iterator thread(procFolder(pid) / "task", code);
  for (const std::filesystem::directory_iterator end; !code && thread != end;
       thread.increment(code)) {
    ++count;
  }
  return count;
}

}  // namespace hone::kernel
