#include "kernel/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/process/interrupt.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "kernel/worker/python/python_fork_server.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

/// Replies are short lines; a longer one does not come from the worker.
constexpr std::size_t kMaxReplyBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxLogBytes = std::size_t{64} << 10U;

std::uint64_t randomSeed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    seed = static_cast<std::uint64_t>(nowNs()) ^ (static_cast<std::uint64_t>(::getpid()) << 40U);
  }
  return seed;
}

Reply withStatus(Reply::Status status, std::string message) {
  Reply reply;
  reply.status = status;
  reply.message = std::move(message);
  return reply;
}

std::string readText(const nlohmann::json& body, const char* key) {
  const auto at = body.find(key);
  return at != body.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

Result<Worker> Worker::start(const WorkerCommand& command) {
  std::array<int, 2> requests{};
  std::array<int, 2> replies{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests.data()) != 0) {
    return errnoError("cannot open a channel to a worker");
  }
  Worker worker;
  worker.requests_ = requests[0];
  worker.log_ = command.log;
  worker.forkServer_ = command.forkServer;
  worker.random_ = Random(randomSeed());
  const bool piped = ::pipe2(replies.data(), O_CLOEXEC) == 0;
  const int log = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  auto child = piped && log >= 0 ? startProcess(command, requests[1], replies[1], log)
                                 : Result<pid_t>(errnoError("cannot open a worker's channels"));
  for (const int end : {requests[1], replies[1], log}) {
    ::close(end);
  }
  worker.replies_ = replies[0];
  worker.pid_ = worker.measured_ = HONE_TRY(std::move(child));
  ::fcntl(worker.replies_, F_SETFL, O_NONBLOCK);
  return worker;
}

Worker::Worker(Worker&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      measured_(std::exchange(other.measured_, -1)),
      requests_(std::exchange(other.requests_, -1)),
      replies_(std::exchange(other.replies_, -1)),
      pending_(std::move(other.pending_)),
      log_(std::move(other.log_)),
      forkServer_(std::move(other.forkServer_)),
      random_(other.random_),
      counters_(std::move(other.counters_)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(measured_, other.measured_);
  std::swap(requests_, other.requests_);
  std::swap(replies_, other.replies_);
  std::swap(pending_, other.pending_);
  std::swap(log_, other.log_);
  std::swap(forkServer_, other.forkServer_);
  std::swap(random_, other.random_);
  std::swap(counters_, other.counters_);
  return *this;
}

Worker::~Worker() {
  stop();
  for (const int end : {requests_, replies_}) {
    if (end >= 0) {
      ::close(end);
    }
  }
}

Ending Worker::stop() {
  if (pid_ <= 0) {
    return {};
  }
  ::kill(-pid_, SIGKILL);  // before reaping, while the group id cannot be reused
  ::kill(pid_, SIGKILL);
  const Ending ending = reap();
  pid_ = measured_ = -1;
  return ending;
}

Ending Worker::reap() const {
  if (forkServer_ != nullptr) {
    return forkServer_->wait(pid_).value_or(Ending{});
  }
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  return endingFrom(status, usage);
}

bool Worker::send(std::string_view line) const {
  while (!line.empty()) {
    const ssize_t wrote = ::send(requests_, line.data(), line.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0) {
      return false;
    }
    line.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

/// Returns the next line of the worker; "" with the reason in `reply` if there is none.
Result<std::string> Worker::readLine(std::int64_t deadlineNs, Reply& reply) {
  for (;;) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    const std::int64_t leftNs = deadlineNs - nowNs();
    if (interrupted()) {
      stop();
      return interruptedError();
    }
    if (leftNs <= 0 || pending_.size() > kMaxReplyBytes) {
      stop();
      reply = leftNs <= 0 ? withStatus(Reply::Status::timedOut, "timed out and was killed")
                          : withStatus(Reply::Status::garbled, "wrote to the judge's channel");
      return "";
    }
    // Short polls: an interrupt just before poll() does not wake it.
    constexpr std::int64_t kMaxPollMs = 500;
    pollfd end{replies_, POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(std::min(kMaxPollMs, leftNs / 1'000'000 + 1)));
    Progress::tick();
    std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills the used part
    const ssize_t got = ::read(replies_, buffer.data(), buffer.size());
    if (got > 0) {
      pending_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      const bool byItself = endsSoon(pid_);
      const Ending ending = stop();
      reply = byItself ? withStatus(Reply::Status::ended,
                                    fmt::format("process ended: {}", ending.describe()))
                       : withStatus(Reply::Status::garbled, "closed the judge's channel");
      return "";
    }
  }
}

Reply Worker::parseReply(const std::string& line, std::uint64_t id) {
  nlohmann::json body = nlohmann::json::parse(line, nullptr, false);
  const bool sane = body.is_object() && body.contains("id") && body["id"] == id &&
                    body.contains("ok") && body["ok"].is_boolean();
  if (!sane || !pending_.empty()) {
    stop();
    return withStatus(Reply::Status::garbled, "wrote to the judge's channel");
  }
  Reply reply;
  if (!body["ok"].get<bool>()) {
    reply.status = Reply::Status::failed;
    reply.kind = readText(body, "kind");
    reply.message = readText(body, "error");
    reply.detail = readText(body, "detail");
  }
  reply.body = std::move(body);
  return reply;
}

Result<Reply> Worker::awaitReply(std::uint64_t id, milliseconds limit) {
  const std::int64_t deadlineNs = nowNs() + limit.count() * 1'000'000;
  Reply reply;
  const std::string line = HONE_TRY(readLine(deadlineNs, reply));
  return reply.ok() ? parseReply(line, id) : reply;
}

Result<Reply> Worker::ask(nlohmann::json request, milliseconds limit) {
  if (!alive()) {
    return withStatus(Reply::Status::ended, "process has already ended");
  }
  const std::uint64_t id = random_.next() >> 11U;
  request["id"] = id;
  // If sending fails, reading the reply reports the reason.
  (void)send(request.dump() + "\n");
  const Activity running("running the kernel");
  Reply reply = HONE_TRY(awaitReply(id, limit));
  if (reply.ok()) {
    adoptProcess(reply.body);
  }
  return reply;
}

void Worker::adoptProcess(const nlohmann::json& body) {
  const auto at = body.find("pid");
  if (at == body.end() || !at->is_number_integer()) {
    return;
  }
  // Otherwise a kernel could name another process, whose time would be measured.
  const auto pid = at->get<pid_t>();
  if (pid == pid_ || (pid > 0 && readParent(pid) == pid_)) {
    measured_ = pid;
  }
}

Result<TimedReply> Worker::time(nlohmann::json request, milliseconds limit) {
  request["do"] = "time";
  TimedReply timed;
  timed.reply = HONE_TRY(ask(std::move(request), limit));
  if (!timed.reply.ok()) {
    return timed;
  }
  const std::uint64_t id = random_.next() >> 11U;
  const std::string go = fmt::format("go {}\n", id);
  timed.before = waitUntilIdle();
  if (counters_) {
    counters_->start();
  }
  const std::int64_t wallBefore = nowNs();
  (void)send(go);
  timed.reply = HONE_TRY(awaitReply(id, limit));
  timed.wallNs = static_cast<double>(nowNs() - wallBefore);
  timed.after = waitUntilIdle();
  if (counters_) {
    timed.counts = counters_->stop();
  }
  timed.cpuNs = static_cast<double>(timed.after.allNs - timed.before.allNs);
  if (timed.reply.ok() && forkServer_ != nullptr) {
    // Python copies its outputs only now, outside of the kernel's time.
    timed.reply = HONE_TRY(ask({{"do", "flush"}}, limit));
    const IdleCpuTime copied = waitUntilIdle();
    timed.flushCpuNs = static_cast<double>(copied.allNs - timed.after.allNs);
    timed.after = copied;
  }
  return timed;
}

IdleCpuTime Worker::waitUntilIdle() const {
  waitUntilAsleep(measured_);
  const std::int64_t allNs = cpuTimeNs(measured_);
  const std::int64_t mainNs = mainThreadNs(measured_);
  return {allNs, mainNs > 0 ? mainNs : allNs};
}

std::size_t Worker::threads() const { return threadCount(measured_); }

std::string Worker::busyWhileIdle() const {
  // A waiting worker uses no CPU time; a second interval tolerates one late wake-up.
  constexpr std::int64_t kMaxIdleNs = 1'000'000;
  for (const milliseconds interval : {milliseconds(10), milliseconds(30)}) {
    const std::int64_t before = cpuTimeNs(measured_);
    std::this_thread::sleep_for(interval);
    if (cpuTimeNs(measured_) - before < kMaxIdleNs) {
      return "";
    }
  }
  return "leaves threads running after its call";
}

std::string Worker::log() const {
  auto text = readFile(log_);
  if (!text) {
    return "";
  }
  return text->size() > kMaxLogBytes ? text->substr(text->size() - kMaxLogBytes) : *std::move(text);
}

}  // namespace hone::kernel
