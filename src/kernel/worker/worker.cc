#include "kernel/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "kernel/worker/python_nursery.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;

constexpr int kRequests = 3;
constexpr int kAnswers = 4;
/// An answer is a short line; a worker that sends more is not itself.
constexpr std::size_t kLongestAnswer = std::size_t{4} << 20U;
constexpr std::size_t kMostLog = std::size_t{64} << 10U;

std::uint64_t trulyRandom() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    seed = static_cast<std::uint64_t>(nowNs()) ^ (static_cast<std::uint64_t>(::getpid()) << 40U);
  }
  return seed;
}

/// Whatever is a secret of the user is not for kernels to read.
bool isSecret(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return std::ranges::any_of(
      std::array<std::string_view, 5>{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"},
      [&](std::string_view word) { return name.contains(word); });
}

/// Puts the descriptors in place, whatever numbers they have now.
void placeDescriptors(int requests, int answers, int log, int null) {
  constexpr int kAbove = 16;
  const int from = ::fcntl(requests, F_DUPFD, kAbove);
  const int to = ::fcntl(answers, F_DUPFD, kAbove);
  const int prints = ::fcntl(log, F_DUPFD, kAbove);
  ::dup2(null, STDIN_FILENO);
  ::dup2(prints, STDOUT_FILENO);
  ::dup2(prints, STDERR_FILENO);
  ::dup2(from, kRequests);
  ::dup2(to, kAnswers);
  ::close_range(kAnswers + 1, ~0U, 0);
}

/// Whether the process, whosever child it is, has ended by itself; waits a moment for it.
bool endsNow(pid_t pid) {
  constexpr int kPatienceMs = 200;
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (handle < 0) {
    return true;
  }
  pollfd end{handle, POLLIN, 0};
  const bool ended = ::poll(&end, 1, kPatienceMs) > 0;
  ::close(handle);
  return ended;
}

/// Starts the program of the command with these ends of its channels.
Result<pid_t> startProgram(const WorkerCommand& command, int requests, int answers, int log) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = workerEnvironment(command.environment);
  const std::vector<char*> argv = execPointers(arguments);
  const std::vector<char*> environment = execPointers(variables);
  const pid_t self = ::getpid();
  const pid_t child = null >= 0 ? ::fork() : -1;
  if (child == 0) {
    confineChild(self, {milliseconds(0), command.memoryBytes});
    placeDescriptors(requests, answers, log, null);
    ::execve(argv[0], argv.data(), environment.data());
    ::_exit(127);
  }
  const auto failed = errnoError(fmt::format("cannot start {}", command.argv.front()));
  ::close(null);
  if (child < 0) {
    return failed;
  }
  ::setpgid(child, child);  // also here: the group exists before anybody kills it
  return child;
}

Result<pid_t> startWorker(const WorkerCommand& command, int requests, int answers, int log) {
  if (command.nursery == nullptr) {
    return startProgram(command, requests, answers, log);
  }
  std::filesystem::path folder = command.log;
  folder += ".d";
  return command.nursery->fork(
      {std::move(folder), command.memoryBytes, command.environment, command.tilelang}, requests,
      answers, log);
}

/// The fields of /proc/PID/stat behind the name: its state is the first, its parent the second.
std::vector<std::string> statOf(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(stat, text);
  const std::size_t name = text.rfind(')');  // the name may have blanks and brackets
  return name == std::string::npos ? std::vector<std::string>()
                                   : splitAt(trim(std::string_view(text).substr(name + 1)), ' ');
}

/// The parent of a process, or -1.
pid_t parentOf(pid_t pid) {
  const std::vector<std::string> fields = statOf(pid);
  return fields.size() > 1 ? static_cast<pid_t>(parseInt(fields[1]).value_or(-1)) : -1;
}

/// Waits a moment until a process sleeps: the clock of one that runs on another CPU is up to a tick
/// behind, so that a call may seem to take no time at all.
void untilAsleep(pid_t pid) {
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    const std::vector<std::string> fields = statOf(pid);
    if (fields.empty() || (fields[0] != "R" && fields[0] != "D")) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Reply withStatus(Reply::Status status, std::string message) {
  Reply reply;
  reply.status = status;
  reply.message = std::move(message);
  return reply;
}

std::string textOf(const nlohmann::json& body, const char* key) {
  const auto at = body.find(key);
  return at != body.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

std::vector<std::string> workerEnvironment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> variables = environmentWith(changes);
  std::erase_if(variables, isSecret);
  return variables;
}

Result<Worker> Worker::start(const WorkerCommand& command) {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests.data()) != 0) {
    return errnoError("cannot open a channel to a worker");
  }
  Worker worker;
  worker.requests_ = requests[0];
  worker.log_ = command.log;
  worker.nursery_ = command.nursery;
  worker.random_ = Random(trulyRandom());
  const bool piped = ::pipe2(answers.data(), O_CLOEXEC) == 0;
  const int log = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  auto child = piped && log >= 0 ? startWorker(command, requests[1], answers[1], log)
                                 : Result<pid_t>(errnoError("cannot open a worker's channels"));
  for (const int end : {requests[1], answers[1], log}) {
    ::close(end);
  }
  worker.answers_ = answers[0];
  worker.pid_ = worker.measured_ = HONE_TRY(std::move(child));
  ::fcntl(worker.answers_, F_SETFL, O_NONBLOCK);
  return worker;
}

Worker::Worker(Worker&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      measured_(std::exchange(other.measured_, -1)),
      requests_(std::exchange(other.requests_, -1)),
      answers_(std::exchange(other.answers_, -1)),
      pending_(std::move(other.pending_)),
      log_(std::move(other.log_)),
      nursery_(std::move(other.nursery_)),
      random_(other.random_) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(measured_, other.measured_);
  std::swap(requests_, other.requests_);
  std::swap(answers_, other.answers_);
  std::swap(pending_, other.pending_);
  std::swap(log_, other.log_);
  std::swap(nursery_, other.nursery_);
  std::swap(random_, other.random_);
  return *this;
}

Worker::~Worker() {
  stop();
  for (const int end : {requests_, answers_}) {
    if (end >= 0) {
      ::close(end);
    }
  }
}

Ending Worker::stop() {
  if (pid_ <= 0) {
    return {};
  }
  ::kill(-pid_, SIGKILL);  // before it is reaped: the number of the group is still its own
  ::kill(pid_, SIGKILL);
  const Ending ending = reap();
  pid_ = measured_ = -1;
  return ending;
}

Ending Worker::reap() const {
  if (nursery_ != nullptr) {
    return nursery_->wait(pid_).value_or(Ending{});
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

/// A line of the worker; "" with the reason in `reply` where none comes.
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
    if (leftNs <= 0 || pending_.size() > kLongestAnswer) {
      stop();
      reply = leftNs <= 0
                  ? withStatus(Reply::Status::timedOut, "it was stopped: no end within its time")
                  : withStatus(Reply::Status::garbled, "it wrote to the judge's channel");
      return "";
    }
    // Never long: an interrupt just before the sleep wakes nobody.
    constexpr std::int64_t kLongestMs = 500;
    pollfd end{answers_, POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(std::min(kLongestMs, leftNs / 1'000'000 + 1)));
    std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills what is used
    const ssize_t got = ::read(answers_, buffer.data(), buffer.size());
    if (got > 0) {
      pending_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      const bool byItself = endsNow(pid_);
      const Ending ending = stop();
      reply = byItself ? withStatus(Reply::Status::ended,
                                    fmt::format("its process ended: {}", ending.describe()))
                       : withStatus(Reply::Status::garbled, "it closed the judge's channel");
      return "";
    }
  }
}

Reply Worker::parsed(const std::string& line, std::uint64_t id) {
  nlohmann::json body = nlohmann::json::parse(line, nullptr, false);
  const bool sane = body.is_object() && body.contains("id") && body["id"] == id &&
                    body.contains("ok") && body["ok"].is_boolean();
  if (!sane || !pending_.empty()) {
    stop();
    return withStatus(Reply::Status::garbled, "it wrote to the judge's channel");
  }
  Reply reply;
  if (!body["ok"].get<bool>()) {
    reply.status = Reply::Status::failed;
    reply.kind = textOf(body, "kind");
    reply.message = textOf(body, "error");
    reply.detail = textOf(body, "detail");
  }
  reply.body = std::move(body);
  return reply;
}

Result<Reply> Worker::answerTo(std::uint64_t id, milliseconds limit) {
  const std::int64_t deadlineNs = nowNs() + limit.count() * 1'000'000;
  Reply reply;
  const std::string line = HONE_TRY(readLine(deadlineNs, reply));
  return reply.ok() ? parsed(line, id) : reply;
}

Result<Reply> Worker::ask(nlohmann::json request, milliseconds limit) {
  if (!alive()) {
    return withStatus(Reply::Status::ended, "its process ended before");
  }
  const std::uint64_t id = random_.next() >> 11U;
  request["id"] = id;
  // One that cannot be sent has its reason at the other end of the answers.
  (void)send(request.dump() + "\n");
  Reply reply = HONE_TRY(answerTo(id, limit));
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
  // A kernel that names the process of somebody else would have that one's time.
  const auto pid = at->get<pid_t>();
  if (pid == pid_ || (pid > 0 && parentOf(pid) == pid_)) {
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
  untilAsleep(measured_);
  const std::int64_t cpuBefore = cpuNs();
  const std::int64_t wallBefore = nowNs();
  (void)send(go);
  timed.reply = HONE_TRY(answerTo(id, limit));
  timed.wallNs = static_cast<double>(nowNs() - wallBefore);
  untilAsleep(measured_);
  timed.cpuNs = static_cast<double>(cpuNs() - cpuBefore);
  if (timed.reply.ok() && nursery_ != nullptr) {
    // Only now Python copies its outputs: that is not the kernel's time.
    timed.reply = HONE_TRY(ask({{"do", "flush"}}, limit));
  }
  return timed;
}

std::int64_t Worker::cpuNs() const {
  clockid_t clock{};
  timespec time{};
  if (measured_ <= 0 || ::clock_getcpuclockid(measured_, &clock) != 0 ||
      ::clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string Worker::busyWhileIdle() const {
  // A worker that waits takes nothing; two looks, so that one late wake-up is no alarm.
  constexpr std::int64_t kMostNs = 1'000'000;
  for (const milliseconds look : {milliseconds(10), milliseconds(30)}) {
    const std::int64_t before = cpuNs();
    std::this_thread::sleep_for(look);
    if (cpuNs() - before < kMostNs) {
      return "";
    }
  }
  return "it leaves threads running after its call";
}

std::string Worker::log() const {
  auto text = readFile(log_);
  if (!text) {
    return "";
  }
  return text->size() > kMostLog ? text->substr(text->size() - kMostLog) : *std::move(text);
}

}  // namespace hone::kernel
