#include "iree/compile/server/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process/write_rules.h"
#include "iree/compile/job/job_wire.h"
#include "iree/compile/server/compile_child.h"
#include "iree/module/compiler_api.h"

namespace hone::iree {
namespace {

struct RunningJob {
  std::uint64_t id = 0;
  std::int64_t startNs = 0;
  std::int64_t deadlineNs = 0;  ///< 0: none
  std::uint64_t diskBytes = 0;  ///< limit; 0: none
  std::optional<Ending::How> killed;
};

/// Time between checks of the disk space.
constexpr int kDiskPeriodMs = 500;

/// Returns the folders that a job may change: its own, that of its output, and those of files that
/// flags of the user ask the compiler to dump.
std::vector<std::filesystem::path> writableFolders(const CompileJob& job,
                                                   const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders = {folder, job.output.parent_path()};
  for (const std::string& flag : job.flags) {
    const std::size_t equals = flag.find('=');
    if (equals == std::string::npos || !flag.substr(0, equals).contains("dump")) {
      continue;
    }
    const std::filesystem::path named = std::filesystem::path(flag.substr(equals + 1));
    std::error_code ignored;
    folders.push_back(std::filesystem::is_directory(named, ignored)
                          ? named
                          : std::filesystem::absolute(named, ignored).parent_path());
  }
  return folders;
}

sigset_t onlyChildren() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return set;
}

class ForkServer {
 public:
  ForkServer(int socket, JobFunction function, std::filesystem::path scratch)
      : socket_(socket),
        function_(std::move(function)),
        scratch_(std::move(scratch)),
        signals_(::signalfd(-1, &childSignal_, SFD_NONBLOCK | SFD_CLOEXEC)) {
    ::sigprocmask(SIG_BLOCK, &childSignal_, nullptr);
  }

  template <typename Message>
  void send(const Message& message) const {
    const std::string bytes = encode(message);
    ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  void serve() {
    std::vector<char> buffer(kMaxMessage);
    while (true) {
      std::array<pollfd, 2> ends = {pollfd{socket_, POLLIN, 0}, pollfd{signals_, POLLIN, 0}};
      ::poll(ends.data(), ends.size(), untilDeadlineMs());
      killOverLimit();
      reap();
      if (ends[0].revents == 0) {
        continue;
      }
      const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        break;
      }
      const auto start = decode<JobStart>({buffer.data(), static_cast<std::size_t>(got)});
      if (!start) {
        break;
      }
      startJob(start->id, start->job);
    }
    for (const auto& [pid, child] : children_) {
      ::kill(-pid, SIGKILL);
    }
  }

 private:
  void startJob(std::uint64_t id, const CompileJob& job) {
    const std::filesystem::path folder = scratch_ / std::to_string(id);
    const pid_t self = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::sigprocmask(SIG_UNBLOCK, &childSignal_, nullptr);
      ::_exit(becomeWorker(self, job, folder));
    }
    if (pid < 0) {
      Ending ending;
      ending.code = kExitFailed;
      report(id, ending);
      return;
    }
    ::setpgid(pid, pid);
    const std::int64_t now = nowNs();
    const std::int64_t wallNs = job.limits.wall.count() * 1'000'000;
    children_[pid] = {.id = id,
                      .startNs = now,
                      .deadlineNs = wallNs > 0 ? now + wallNs : 0,
                      .diskBytes = job.limits.diskBytes,
                      .killed = {}};
  }

  [[nodiscard]] int becomeWorker(pid_t parent, const CompileJob& job,
                                 const std::filesystem::path& folder) const {
    confineChild(parent, job.limits);
    ::close(socket_);
    const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (log >= 0) {
      ::dup2(log, STDOUT_FILENO);
      ::dup2(log, STDERR_FILENO);
    }
    // The linker's temporary files are removed with the job's folder, even if the job is killed.
    ::setenv("TMPDIR", folder.c_str(), 1);
    const auto rules = WriteRules::below(writableFolders(job, folder));
    if (rules && !rules->enforce()) {
      std::perror("error: cannot restrict the folders that the compiler may change");
      return kExitFailed;
    }
    return function_(job);
  }

  /// Returns the time until a child must be killed or its disk space be checked; -1: none.
  [[nodiscard]] int untilDeadlineMs() const {
    std::int64_t first = 0;
    bool watchesDisk = false;
    for (const auto& [pid, child] : children_) {
      watchesDisk = watchesDisk || child.diskBytes > 0;
      if (child.deadlineNs > 0 && !child.killed && (first == 0 || child.deadlineNs < first)) {
        first = child.deadlineNs;
      }
    }
    const int longest = watchesDisk ? kDiskPeriodMs : -1;
    if (first == 0) {
      return longest;
    }
    const std::int64_t left = first - nowNs();
    const int leftMs = left <= 0 ? 0 : static_cast<int>(left / 1'000'000 + 1);
    return watchesDisk ? std::min(leftMs, longest) : leftMs;
  }

  void killOverLimit() {
    const std::int64_t now = nowNs();
    const bool checkDisk = now >= nextDiskNs_;
    nextDiskNs_ = checkDisk ? now + kDiskPeriodMs * std::int64_t{1'000'000} : nextDiskNs_;
    for (auto& [pid, child] : children_) {
      if (child.killed) {
        continue;
      }
      const std::filesystem::path folder = scratch_ / std::to_string(child.id);
      if (child.deadlineNs > 0 && now >= child.deadlineNs) {
        child.killed = Ending::How::timedOut;
      } else if (checkDisk && child.diskBytes > 0 &&
                 diskUsage(std::span(&folder, 1)) > child.diskBytes) {
        child.killed = Ending::How::filledDisk;
      }
      if (child.killed) {
        ::kill(-pid, SIGKILL);
      }
    }
  }

  void reap() {
    signalfd_siginfo ignored{};
    while (::read(signals_, &ignored, sizeof ignored) > 0) {
    }
    int status = 0;
    rusage usage{};
    for (pid_t pid = 0; (pid = ::wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      const auto at = children_.find(pid);
      if (at == children_.end()) {
        continue;
      }
      ::kill(-pid, SIGKILL);  // processes started by the child
      Ending ending = endingFrom(status, usage);
      ending.wallNs = nowNs() - at->second.startNs;
      ending.how = at->second.killed.value_or(ending.how);
      report(at->second.id, ending);
      children_.erase(at);
    }
  }

  void report(std::uint64_t id, const Ending& ending) const {
    send(JobEnd{.id = id, .ending = ending, .serverCpuNs = ownCpuNs() - readyNs_});
  }

  int socket_;
  JobFunction function_;
  std::filesystem::path scratch_;
  sigset_t childSignal_ = onlyChildren();
  int signals_;
  std::int64_t readyNs_ = ownCpuNs();  ///< after loading the compiler, which is not hone's overhead
  std::int64_t nextDiskNs_ = 0;
  std::map<pid_t, RunningJob> children_;
};

}  // namespace

void runForkServer(int socket, const CompilePool::Options& options,
                   const std::filesystem::path& scratch) {
  if (options.function) {
    ForkServer server(socket, options.function, scratch);
    server.send(ServerHello{.revision = "test", .error = ""});
    server.serve();
    return;
  }
  const auto api = CompilerApi::load(options.library);
  if (!api) {
    ForkServer(socket, {}, scratch).send(ServerHello{.revision = "", .error = api.error().message});
    return;
  }
  api->globalInitialize();
  ForkServer server(
      socket, [&api](const CompileJob& job) { return performJob(*api, job); }, scratch);
  const char* revision = api->getRevision();
  server.send(ServerHello{.revision = revision != nullptr ? revision : "",
                          .error = "",
                          .hasConstraints = api->hasConstraints()});
  server.serve();
}

}  // namespace hone::iree
