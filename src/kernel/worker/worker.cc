#include "kernel/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "kernel/worker/worker_process.h"

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

/// Converts an answer that has `ok`.
Reply fromBody(nlohmann::json body) {
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

}  // namespace

Result<Descriptor> makeLog() { return makeMemoryFile(""); }

std::string readLog(const Descriptor& log) {
  struct stat status{};
  if (::fstat(log.number(), &status) != 0) {
    return "";
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  std::string text(std::min(size, kMaxLogBytes), '\0');
  const ssize_t got =
      ::pread(log.number(), text.data(), text.size(), static_cast<off_t>(size - text.size()));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

Result<Worker> Worker::start(const WorkerCommand& command, const WorkerPages& pages) {
  std::array<int, 2> requests{};
  std::array<int, 2> replies{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests.data()) != 0) {
    return errnoError("cannot open a channel to a worker");
  }
  Descriptor ownRequests(requests[0]);
  const Descriptor childRequests(requests[1]);
  const bool piped = ::pipe2(replies.data(), O_CLOEXEC) == 0;
  Descriptor ownReplies(replies[0]);
  const Descriptor childReplies(replies[1]);
  Descriptor log = HONE_TRY(makeLog());
  if (!piped) {
    return errnoError("cannot open a worker's channels");
  }
  const pid_t process = HONE_TRY(startProcess(command, {.requests = childRequests.number(),
                                                        .replies = childReplies.number(),
                                                        .log = log.number(),
                                                        .control = pages.control,
                                                        .status = pages.status}));
  Worker worker(SupervisedProcess(process, pages.counts), std::move(log));
  worker.requests_ = std::move(ownRequests);
  worker.replies_ = std::move(ownReplies);
  worker.random_ = Random(randomSeed());
  ::fcntl(worker.replies_.number(), F_SETFL, O_NONBLOCK);
  return worker;
}

bool Worker::send(std::string_view line) const {
  while (!line.empty()) {
    const ssize_t wrote = ::send(requests_.number(), line.data(), line.size(), MSG_NOSIGNAL);
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
      process_.kill();
      return interruptedError();
    }
    if (leftNs <= 0 || pending_.size() > kMaxReplyBytes) {
      process_.kill();
      reply = leftNs <= 0 ? withStatus(Reply::Status::timedOut, "timed out and was killed")
                          : withStatus(Reply::Status::garbled, "wrote to the judge's channel");
      return "";
    }
    // Short polls: an interrupt just before poll() does not wake it.
    constexpr std::int64_t kMaxPollMs = 500;
    pollfd end{replies_.number(), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(std::min(kMaxPollMs, leftNs / 1'000'000 + 1)));
    Progress::tick();
    std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills the used part
    const ssize_t got = ::read(replies_.number(), buffer.data(), buffer.size());
    if (got > 0) {
      pending_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      const bool byItself = endsSoon(process_.pid());
      const Ending ending = process_.kill();
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
    process_.kill();
    return withStatus(Reply::Status::garbled, "wrote to the judge's channel");
  }
  return fromBody(std::move(body));
}

Result<Reply> Worker::awaitReply(std::uint64_t id, milliseconds limit) {
  const std::int64_t deadlineNs = nowNs() + limit.count() * 1'000'000;
  Reply reply;
  const std::string line = HONE_TRY(readLine(deadlineNs, reply));
  return reply.ok() ? parseReply(line, id) : reply;
}

Result<Reply> Worker::ask(const WorkerRequest& request, milliseconds limit) {
  if (!process_.alive()) {
    return withStatus(Reply::Status::ended, "process has already ended");
  }
  const std::uint64_t id = random_.next() >> 11U;
  nlohmann::json message = toJson(request);
  message["id"] = id;
  // If sending fails, reading the reply reports the reason.
  (void)send(message.dump() + "\n");
  const Activity running("running the kernel");
  return awaitReply(id, limit);
}

std::optional<Reply> Worker::takeFailure() {
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills the used part
  for (;;) {
    const ssize_t got = ::read(replies_.number(), buffer.data(), buffer.size());
    if (got <= 0 || pending_.size() > kMaxReplyBytes) {
      break;
    }
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (pending_.empty()) {
    return std::nullopt;
  }
  auto body = nlohmann::json::parse(std::exchange(pending_, {}), nullptr, false);
  const bool isFailure = body.is_object() && body.contains("ok") && body["ok"] == false;
  return isFailure ? fromBody(std::move(body))
                   : withStatus(Reply::Status::garbled, "wrote to the judge's channel");
}

}  // namespace hone::kernel
