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
#include <fstream>
#include <system_error>
#include <thread>

#include "base/process/environment.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "kernel/worker/python/python_fork_server.h"
#include "kernel/worker/worker_pipes.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

/// Returns true for variables that may hold a secret of the user, which kernels must not read.
bool isSecret(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return std::ranges::any_of(
      std::array<std::string_view, 5>{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"},
      [&](std::string_view word) { return name.contains(word); });
}

/// Moves the descriptors to their fixed numbers, whatever numbers they have now.
void placeDescriptors(int requests, int replies, int log, int null) {
  constexpr int kAbove = 16;
  const int from = ::fcntl(requests, F_DUPFD, kAbove);
  const int to = ::fcntl(replies, F_DUPFD, kAbove);
  const int prints = ::fcntl(log, F_DUPFD, kAbove);
  ::dup2(null, STDIN_FILENO);
  ::dup2(prints, STDOUT_FILENO);
  ::dup2(prints, STDERR_FILENO);
  ::dup2(from, kRequests);
  ::dup2(to, kReplies);
  ::close_range(kReplies + 1, ~0U, 0);
}

/// Executes the program of the command with these ends of its channels.
Result<pid_t> startProgram(const WorkerCommand& command, int requests, int replies, int log) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = workerEnvironment(command.environment);
  const std::vector<char*> argv = execPointers(arguments);
  const std::vector<char*> environment = execPointers(variables);
  const pid_t self = ::getpid();
  const pid_t child = null >= 0 ? ::fork() : -1;
  if (child == 0) {
    confineChild(self, {milliseconds(0), command.memoryBytes});
    placeDescriptors(requests, replies, log, null);
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

/// Returns the fields of /proc/…/stat after the name: the state, the parent, …
std::vector<std::string> readStat(const std::filesystem::path& place) {
  std::ifstream stat(place / "stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name = text.rfind(')');  // the name may contain blanks and parentheses
  return name == std::string::npos ? std::vector<std::string>()
                                   : splitAt(trim(std::string_view(text).substr(name + 1)), ' ');
}

std::filesystem::path procFolder(pid_t pid) { return fmt::format("/proc/{}", pid); }

bool anyThreadRuns(pid_t pid) {
  std::error_code code;
  std::filesystem::directory_iterator thread(procFolder(pid) / "task", code);
  for (const std::filesystem::directory_iterator end; !code && thread != end;
       thread.increment(code)) {
    const std::vector<std::string> fields = readStat(thread->path());
    if (!fields.empty() && (fields[0] == "R" || fields[0] == "D")) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> workerEnvironment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> variables = environmentWith(changes);
  std::erase_if(variables, isSecret);
  return variables;
}

Result<pid_t> startProcess(const WorkerCommand& command, int requests, int replies, int log) {
  if (command.forkServer == nullptr) {
    return startProgram(command, requests, replies, log);
  }
  std::filesystem::path folder = command.log;
  folder += ".d";
  return command.forkServer->fork(
      {std::move(folder), command.memoryBytes, command.environment, command.tilelang}, requests,
      replies, log);
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

pid_t readParent(pid_t pid) {
  const std::vector<std::string> fields = readStat(procFolder(pid));
  return fields.size() > 1 ? static_cast<pid_t>(parseInt(fields[1]).value_or(-1)) : -1;
}

void waitUntilAsleep(pid_t pid) {
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries && anyThreadRuns(pid); ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

std::int64_t cpuTimeNs(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (pid <= 0 || ::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t mainThreadNs(pid_t pid) {
  std::ifstream stat(procFolder(pid) / "task" / std::to_string(pid) / "schedstat");
  std::int64_t ranNs = 0;
  return stat >> ranNs ? ranNs : 0;
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
