#include "iree/compile/server/compile_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/process/environment.h"
#include "base/process/interrupt.h"
#include "base/progress.h"
#include "iree/compile/job/job_wire.h"
#include "iree/compile/report/diagnostics.h"
#include "iree/compile/server/compile_child.h"
#include "iree/compile/server/fork_server.h"

namespace hone::iree {
namespace {

/// A job is not retried after the fork server died this many times while it was running.
constexpr int kMaxStarts = 2;

/// Closes everything except the standard streams and the socket, so that children do not inherit
/// the store's files and locks.
void closeAllBut(int socket) {
  ::close_range(3, static_cast<unsigned>(socket) - 1, 0);
  ::close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
}

/// Waits for a message; returns "" at the end of the stream. Fails if interrupted.
Result<std::string> receive(int socket) {
  std::string buffer(kMaxMessage, '\0');
  while (!interrupted()) {
    constexpr int kMaxPollMs = 500;  // an interrupt just before poll() does not wake it
    pollfd end{socket, POLLIN, 0};
    if (::poll(&end, 1, kMaxPollMs) == 0) {
      Progress::tick();
      continue;
    }
    const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got >= 0) {
      buffer.resize(static_cast<std::size_t>(got));
      return buffer;
    }
    if (errno == ECONNRESET) {
      return std::string();
    }
    if (errno != EINTR) {
      return errnoError("cannot read from the compile processes");
    }
  }
  return interruptedError();
}

}  // namespace

Result<CompilePool> CompilePool::start(Options options) {
  CompilePool pool(std::move(options), HONE_TRY(ScratchFolder::create("hone-compile")));
  HONE_CHECK(pool.startServer());
  return pool;
}

CompilePool::CompilePool(CompilePool&& other) noexcept
    : options_(std::move(other.options_)),
      scratch_(std::move(other.scratch_)),
      revision_(std::move(other.revision_)),
      hasConstraints_(other.hasConstraints_),
      server_(std::exchange(other.server_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      serverNs_(other.serverNs_),
      pastServersNs_(other.pastServersNs_),
      lastId_(other.lastId_),
      waiting_(std::move(other.waiting_)),
      running_(std::move(other.running_)),
      lost_(std::move(other.lost_)) {}

CompilePool::~CompilePool() { stopServer(); }

Result<void> CompilePool::startServer() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errnoError("cannot start the compile processes");
  }
  const pid_t self = ::getpid();
  server_ = ::fork();
  if (server_ < 0) {
    return errnoError("cannot start the compile processes");
  }
  if (server_ == 0) {
    confineChild(self, {});
    dropSecrets();
    closeAllBut(ends[1]);
    runForkServer(ends[1], options_, scratch_.path());
    ::_exit(0);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  const std::string hello = HONE_TRY(receive(socket_));
  if (hello.empty()) {
    return machineError("loading the compiler library {} terminated the process",
                        options_.library.string());
  }
  auto message = HONE_TRY(decode<ServerHello>(hello));
  if (!message.error.empty()) {
    return machineError("{}", message.error);
  }
  revision_ = std::move(message.revision);
  hasConstraints_ = message.hasConstraints;
  return {};
}

void CompilePool::stopServer() {
  if (socket_ >= 0) {
    ::close(std::exchange(socket_, -1));
  }
  if (server_ > 0) {
    // Its children die with it (PDEATHSIG), so no job outlives the pool.
    ::kill(server_, SIGKILL);
    while (::waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
    }
    server_ = -1;
  }
  for (const auto& [id, pending] : running_) {
    std::error_code ignored;
    std::filesystem::remove(pending.job.output, ignored);  // may be half-written
    std::filesystem::remove(replyPath(pending.job.output), ignored);
  }
}

std::filesystem::path CompilePool::jobFolder(std::uint64_t id) const {
  return scratch_.path() / std::to_string(id);
}

std::uint64_t CompilePool::submit(CompileJob job) {
  waiting_.push_back({++lastId_, std::move(job), 0, 0});
  return lastId_;
}

bool CompilePool::applyDeadline(CompileJob& job) {
  if (job.deadlineNs == 0) {
    return true;
  }
  const std::chrono::milliseconds left((job.deadlineNs - nowNs()) / 1'000'000);
  if (left.count() <= 0) {
    return false;
  }
  job.limits.wall = job.limits.wall.count() == 0 ? left : std::min(job.limits.wall, left);
  return true;
}

Result<void> CompilePool::dispatch() {
  while (!waiting_.empty() && running_.size() < options_.workers) {
    Pending pending = std::move(waiting_.front());
    waiting_.pop_front();
    if (!applyDeadline(pending.job)) {
      CompileReport report;
      report.id = pending.id;
      report.status = CompileReport::Status::timedOut;
      report.message = kOutOfTime;
      lost_.push_back(std::move(report));
      continue;
    }
    HONE_CHECK(makeFolder(jobFolder(pending.id)));
    const std::string message = encode(JobStart{.id = pending.id, .job = pending.job});
    if (message.size() > kMaxMessage) {
      return userError("config too large: {} bytes; the limit is {}", message.size(), kMaxMessage);
    }
    ++pending.starts;
    const auto id = pending.id;
    running_.emplace(id, std::move(pending));
    if (::send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0) {
      return {};  // the fork server is gone: next() sees the end of the stream and replaces it
    }
  }
  return {};
}

Result<void> CompilePool::replaceServer() {
  stopServer();
  pastServersNs_ += std::exchange(serverNs_, 0);
  for (auto& [id, pending] : running_) {
    if (pending.starts >= kMaxStarts) {
      CompileReport report;
      report.id = id;
      report.status = CompileReport::Status::failed;
      report.message = "the compile processes died twice while running this job";
      lost_.push_back(std::move(report));
    } else {
      waiting_.push_front(std::move(pending));
    }
  }
  running_.clear();
  return startServer();
}

CompileReport CompilePool::makeReport(const Pending& pending, Ending ending) const {
  CompileReport report;
  report.id = pending.id;
  report.ending = ending;
  report.diagnostics = readFile(jobFolder(pending.id) / "log").value_or("");
  if (ending.ok()) {
    return report;
  }
  report.status = classifyEnding(ending, report.diagnostics);
  report.message = shortDiagnostics(report.status, ending, report.diagnostics, pending.job.limits);
  return report;
}

Result<CompileReport> CompilePool::next() {
  while (pending() > 0) {
    if (!lost_.empty()) {
      CompileReport report = std::move(lost_.front());
      lost_.pop_front();
      return report;
    }
    HONE_CHECK(dispatch());
    if (running_.empty()) {
      continue;
    }
    const std::string bytes = HONE_TRY(receive(socket_));
    if (bytes.empty()) {
      HONE_CHECK(replaceServer());
      continue;
    }
    const auto end = HONE_TRY(decode<JobEnd>(bytes));
    serverNs_ = end.serverCpuNs;
    const auto node = running_.extract(end.id);
    if (node.empty()) {
      continue;
    }
    CompileReport report = makeReport(node.mapped(), end.ending);
    std::error_code ignored;
    std::filesystem::remove_all(jobFolder(report.id), ignored);
    if (!report.ok()) {
      std::filesystem::remove(node.mapped().job.output, ignored);
    }
    HONE_CHECK(checkFileSizeLimit(report.ending, node.mapped().job.limits));
    if (!report.ok() && diskWasFull(report.diagnostics)) {
      return machineError("the disk is full: the compiler cannot write to {} or {}",
                          node.mapped().job.output.parent_path().string(),
                          scratch_.path().string());
    }
    return report;
  }
  return machineError("internal error: no compile job is pending (please report it)");
}

Result<CompileReport> CompilePool::runOne(CompileJob job) {
  const std::uint64_t id = submit(std::move(job));
  CompileReport report = HONE_TRY(next());
  if (report.id != id) {
    return machineError("internal error: the compile pool was not idle (please report it)");
  }
  return report;
}

}  // namespace hone::iree
