#include "kernel/worker/python/python_fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "base/clock.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/process/environment.h"
#include "base/process/interrupt.h"
#include "base/process/subprocess.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

constexpr int kServerSocket = 3;
/// Descriptors in one message.
constexpr std::size_t kMaxDescriptors = 5;
/// Timeout for importing torch and TileLang from a slow disk.
constexpr std::int64_t kTimeoutNs = 300'000'000'000;

/// Moves the socket to its fixed descriptor in the child.
void placeSocket(int socket, int log) {
  constexpr int kAbove = 16;
  const int control = ::fcntl(socket, F_DUPFD, kAbove);
  const int prints = ::fcntl(log, F_DUPFD, kAbove);
  if (const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDIN_FILENO);
  }
  ::dup2(prints, STDOUT_FILENO);
  ::dup2(prints, STDERR_FILENO);
  ::dup2(control, kServerSocket);
  ::close_range(kServerSocket + 1, ~0U, 0);
}

std::string lastLine(const fs::path& log) {
  std::string text = readFile(log).value_or("");
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Result<std::shared_ptr<PythonForkServer>> PythonForkServer::of(const fs::path& interpreter,
                                                               const fs::path& script) {
  static std::mutex guard;
  static std::map<std::pair<fs::path, fs::path>, std::shared_ptr<PythonForkServer>> started;
  const std::scoped_lock lock(guard);
  std::shared_ptr<PythonForkServer>& forkServer = started[{interpreter, script}];
  if (forkServer == nullptr || !forkServer->alive()) {
    forkServer = HONE_TRY(start(interpreter, script));
  }
  return forkServer;
}

Result<std::shared_ptr<PythonForkServer>> PythonForkServer::start(const fs::path& interpreter,
                                                                  const fs::path& script) {
  // Workers that the server forks become children of this process, which sees them stop.
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return errnoError("cannot adopt Python processes");
  }
  ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-python"));
  const fs::path log = folder.path() / "log";
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errnoError("cannot open a channel to Python");
  }
  const int prints = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  std::vector<std::string> arguments = {interpreter.string(), script.string(), "--fork-server"};
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"OMP_WAIT_POLICY", "passive"}, {"GOMP_SPINCOUNT", "0"}, {"OPENBLAS_NUM_THREADS", "1"}};
  std::vector<std::string> variables = childEnvironment(Inherited::python, changes);
  const std::vector<char*> argv = execPointers(arguments);
  const std::vector<char*> environment = execPointers(variables);
  const pid_t self = ::getpid();
  const pid_t child = prints < 0 ? -1 : ::fork();
  if (child == 0) {
    confineChild(self, {});
    placeSocket(ends[1], prints);
    ::execve(argv[0], argv.data(), environment.data());
    ::_exit(127);
  }
  const auto failed = errnoError(fmt::format("cannot start {}", interpreter.string()));
  ::close(ends[1]);
  ::close(prints);
  if (child < 0) {
    ::close(ends[0]);
    return failed;
  }
  ::setpgid(child, child);
  std::shared_ptr<PythonForkServer> forkServer(
      new PythonForkServer(child, ends[0], std::move(folder)));
  HONE_CHECK(forkServer->receive());
  return forkServer;
}

PythonForkServer::~PythonForkServer() {
  ::close(socket_);
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool PythonForkServer::alive() const {
  siginfo_t info{};
  return !lost_ &&
         ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
         info.si_pid == 0;
}

/// Drops the connection; otherwise a late reply would be taken for that of the next request.
void PythonForkServer::disconnect() {
  lost_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

Result<nlohmann::json> PythonForkServer::receive() {
  const std::int64_t deadlineNs = nowNs() + kTimeoutNs;
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): recv fills the used part
  for (;;) {
    constexpr int kMaxPollMs = 500;  // an interrupt just before poll() does not wake it
    pollfd end{socket_, POLLIN, 0};
    const int ready = ::poll(&end, 1, kMaxPollMs);
    if (interrupted()) {
      disconnect();
      return interruptedError();
    }
    if (ready <= 0) {
      if (nowNs() > deadlineNs) {
        disconnect();
        return machineError("Python does not respond; see {}", log().string());
      }
      continue;
    }
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      return machineError("Python ended: {}", lastLine(log()));
    }
    auto message = nlohmann::json::parse(buffer.data(), buffer.data() + got, nullptr, false);
    if (const auto error = message.find("error"); error != message.end()) {
      return machineError("Python failed: {}; run {} to install its packages",
                          error->get<std::string>(), installCommand("kernels"));
    }
    return message;
  }
}

Result<nlohmann::json> PythonForkServer::ask(const nlohmann::json& message,
                                             std::span<const int> descriptors) {
  const std::scoped_lock lock(mutex_);
  std::string text = message.dump();
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  if (::sendmsg(socket_, &header, MSG_NOSIGNAL) < 0) {
    return machineError("Python ended: {}", lastLine(log()));
  }
  return receive();
}

Result<pid_t> PythonForkServer::fork(const PythonWorker& worker,
                                     const ChildDescriptors& descriptors) {
  nlohmann::json message = {{"do", "fork"},
                            {"parent", ::getpid()},
                            {"folder", worker.folder.string()},
                            {"memory", worker.memoryBytes},
                            {"import", nlohmann::json::array()},
                            {"environment", nlohmann::json::object()}};
  for (const auto& [name, value] : worker.environment) {
    message["environment"][name] = value;
  }
  if (worker.tilelang) {
    message["import"].push_back("tilelang");
  }
  std::vector<int> passed = {descriptors.requests, descriptors.replies, descriptors.log};
  if (descriptors.control >= 0) {
    passed.insert(passed.end(), {descriptors.control, descriptors.status});
  }
  const nlohmann::json answer = HONE_TRY(ask(message, passed));
  const auto pid = answer.find("pid");
  if (pid == answer.end() || !pid->is_number_integer()) {
    return machineError("invalid reply of Python; see {}", this->log().string());
  }
  return pid->get<pid_t>();
}

}  // namespace hone::kernel
