#include "iree/compile/compile_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/interrupt.h"
#include "iree/compile/compile_child.h"
#include "iree/compile/diagnostics.h"
#include "iree/compile/nursery.h"

namespace hone::iree {
namespace {

/// A job that was under way when the nursery died this often is not tried again.
constexpr int kMaxStarts = 2;

/// Keeps the standard streams and the socket; the store's files and locks are not for children.
void closeAllBut(int socket) {
  ::close_range(3, static_cast<unsigned>(socket) - 1, 0);
  ::close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
}

/// Waits for a message; empty at the end of the stream. Interrupts end the wait.
Result<std::string> receive(int socket) {
  std::string buffer(kMaxMessage, '\0');
  while (!interrupted()) {
    const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got >= 0) {
      buffer.resize(static_cast<std::size_t>(got));
      return buffer;
    }
    if (errno == ECONNRESET) {
      return std::string();
    }
    if (errno != EINTR) {
      return errnoError("cannot hear the compile processes");
    }
  }
  return interruptedError();
}

}  // namespace

Result<CompilePool> CompilePool::start(Options options) {
  CompilePool pool(std::move(options), HONE_TRY(ScratchFolder::create("hone-compile")));
  HONE_CHECK(pool.startNursery());
  return pool;
}

CompilePool::CompilePool(CompilePool&& other) noexcept
    : options_(std::move(other.options_)),
      scratch_(std::move(other.scratch_)),
      revision_(std::move(other.revision_)),
      nursery_(std::exchange(other.nursery_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      nurseryNs_(other.nurseryNs_),
      pastNurseriesNs_(other.pastNurseriesNs_),
      lastId_(other.lastId_),
      waiting_(std::move(other.waiting_)),
      running_(std::move(other.running_)),
      lost_(std::move(other.lost_)) {}

CompilePool::~CompilePool() { stopNursery(); }

Result<void> CompilePool::startNursery() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errnoError("cannot start the compile processes");
  }
  const pid_t self = ::getpid();
  nursery_ = ::fork();
  if (nursery_ < 0) {
    return errnoError("cannot start the compile processes");
  }
  if (nursery_ == 0) {
    confineChild(self, {});
    closeAllBut(ends[1]);
    runNursery(ends[1], options_, scratch_.path());
    ::_exit(0);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  const std::string hello = HONE_TRY(receive(socket_));
  const auto message = nlohmann::json::parse(hello, nullptr, false);
  if (message.is_object() && message.contains("error")) {
    return machineError("{}", message["error"].get<std::string>());
  }
  if (!message.is_object() || !message.contains("revision")) {
    return machineError("the compiler library {} ended the process that loaded it",
                        options_.library.string());
  }
  revision_ = message["revision"].get<std::string>();
  return {};
}

void CompilePool::stopNursery() {
  if (socket_ >= 0) {
    ::close(std::exchange(socket_, -1));
  }
  if (nursery_ > 0) {
    // Its children die with it (PDEATHSIG), so nothing of a job outlives the pool.
    ::kill(nursery_, SIGKILL);
    while (::waitpid(nursery_, nullptr, 0) < 0 && errno == EINTR) {
    }
    nursery_ = -1;
  }
  for (const auto& [id, pending] : running_) {
    std::error_code ignored;
    std::filesystem::remove(pending.job.output, ignored);  // half-written, perhaps
  }
}

std::filesystem::path CompilePool::folderOf(std::uint64_t id) const {
  return scratch_.path() / std::to_string(id);
}

std::uint64_t CompilePool::submit(CompileJob job) {
  waiting_.push_back({++lastId_, std::move(job), 0, 0});
  return lastId_;
}

Result<void> CompilePool::dispatch() {
  while (!waiting_.empty() && running_.size() < options_.workers) {
    Pending pending = std::move(waiting_.front());
    waiting_.pop_front();
    HONE_CHECK(makeFolder(folderOf(pending.id)));
    // CBOR: file names may be any bytes, and JSON text must be UTF-8.
    const auto message =
        nlohmann::json::to_cbor({{"id", pending.id}, {"job", toJson(pending.job)}});
    if (message.size() > kMaxMessage) {
      return userError("a config of {} bytes is too large", message.size());
    }
    ++pending.starts;
    const auto id = pending.id;
    running_.emplace(id, std::move(pending));
    if (::send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0) {
      return {};  // the nursery is gone: next() sees the end of the stream and mends it
    }
  }
  return {};
}

Result<void> CompilePool::replaceNursery() {
  stopNursery();
  pastNurseriesNs_ += std::exchange(nurseryNs_, 0);
  for (auto& [id, pending] : running_) {
    if (pending.starts >= kMaxStarts) {
      CompileReport report;
      report.id = id;
      report.status = CompileReport::Status::failed;
      report.message = "the compile processes died twice while this was under way";
      lost_.push_back(std::move(report));
    } else {
      waiting_.push_front(std::move(pending));
    }
  }
  running_.clear();
  return startNursery();
}

CompileReport CompilePool::reportOf(const Pending& pending, Ending ending) const {
  CompileReport report;
  report.id = pending.id;
  report.ending = ending;
  report.diagnostics = readFile(folderOf(pending.id) / "log").value_or("");
  if (ending.ok()) {
    return report;
  }
  report.status = statusOf(ending, report.diagnostics);
  report.message = shortDiagnostics(report.status, ending, report.diagnostics, pending.job.limits);
  return report;
}

Result<CompileReport> CompilePool::next() {
  while (pending() > 0 || !lost_.empty()) {
    if (!lost_.empty()) {
      CompileReport report = std::move(lost_.front());
      lost_.pop_front();
      return report;
    }
    HONE_CHECK(dispatch());
    const std::string text = HONE_TRY(receive(socket_));
    if (text.empty()) {
      HONE_CHECK(replaceNursery());
      continue;
    }
    const auto message = nlohmann::json::parse(text);
    nurseryNs_ = message.at("own").get<std::int64_t>();
    const auto node = running_.extract(message.at("id").get<std::uint64_t>());
    if (node.empty()) {
      continue;
    }
    Ending ending;
    ending.how = static_cast<Ending::How>(message.at("how").get<int>());
    ending.code = message.at("code").get<int>();
    ending.wallNs = message.at("wall").get<std::int64_t>();
    ending.cpuNs = message.at("cpu").get<std::int64_t>();
    ending.maxRssBytes = message.at("rss").get<std::int64_t>();
    CompileReport report = reportOf(node.mapped(), ending);
    std::error_code ignored;
    std::filesystem::remove_all(folderOf(report.id), ignored);
    if (report.status != CompileReport::Status::ok) {
      std::filesystem::remove(node.mapped().job.output, ignored);
    }
    if (report.status != CompileReport::Status::ok && diskWasFull(report.diagnostics)) {
      return machineError("the disk is full: the compiler cannot write in {} or in {}",
                          node.mapped().job.output.parent_path().string(),
                          scratch_.path().string());
    }
    return report;
  }
  return machineError("no compile job is under way");
}

Result<CompileReport> CompilePool::runOne(CompileJob job) {
  const std::uint64_t id = submit(std::move(job));
  CompileReport report = HONE_TRY(next());
  if (report.id != id) {
    return machineError("the compile pool was not idle");
  }
  return report;
}

}  // namespace hone::iree
