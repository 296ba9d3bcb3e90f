#include "serve/reception.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::serve {
namespace {

using SteadyClock = std::chrono::steady_clock;

void closeConnection(int socket) {
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

/// Sends a response without a body, if the socket takes it at once, and closes the connection.
void refuseConnection(int socket, std::string_view status) {
  const std::string response =
      "HTTP/1.1 " + std::string(status) + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  ::send(socket, response.data(), response.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  closeConnection(socket);
}

/// Lets poll() report the socket only once it has this number of bytes.
void wakeAt(int socket, std::size_t bytes) {
  const int least = static_cast<int>(bytes);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

/// Returns true if the client will send nothing more.
bool hasHungUp(int socket) {
  pollfd end{socket, POLLRDHUP, 0};
  return ::poll(&end, 1, 0) > 0 && end.revents != 0;
}

}  // namespace

/// A fixed number of threads that answer connections in order.
class Reception::Threads {
 public:
  Threads(std::size_t count, const Answer& answer) : answer_(answer) {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }

  void add(int socket) {
    ++connections_;
    {
      const std::scoped_lock lock(mutex_);
      sockets_.push_back(socket);
    }
    changed_.notify_one();
  }

  /// Returns the number of connections that are queued or being answered.
  [[nodiscard]] std::size_t connections() const { return connections_; }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

 private:
  void work() {
    while (true) {
      int socket = -1;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopped_ || !sockets_.empty(); });
        if (sockets_.empty()) {
          return;
        }
        socket = sockets_.front();
        sockets_.pop_front();
      }
      answer_(socket);
      closeConnection(socket);
      --connections_;
    }
  }

  const Answer& answer_;
  std::atomic<std::size_t> connections_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> sockets_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

Reception::Reception(Answer answer, ReceptionLimits limits)
    : answer_(std::move(answer)),
      limits_(limits),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      threads_(std::make_unique<Threads>(limits_.threads, answer_)),
      thread_([this] { watch(); }) {}

Reception::~Reception() {
  stop();
  ::close(wake_);
}

void Reception::add(int socket) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopped_) {
      closeConnection(socket);
      return;
    }
    added_.push_back(socket);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(wake_, &one, sizeof one);
}

void Reception::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(wake_, &one, sizeof one);
  if (thread_.joinable()) {
    thread_.join();
    threads_->stop();
  }
}

void Reception::takeNew() {
  std::vector<int> added;
  {
    const std::scoped_lock lock(mutex_);
    added.swap(added_);
  }
  for (const int socket : added) {
    waiting_.push_back({socket, SteadyClock::now() + limits_.headerTimeout});
  }
}

bool Reception::decide(const Waiting& connection) {
  buffer_.resize(limits_.maxHeaderBytes);
  const ssize_t got =
      ::recv(connection.socket, buffer_.data(), buffer_.size(), MSG_PEEK | MSG_DONTWAIT);
  const auto size = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    closeConnection(connection.socket);
    return true;
  }
  if (std::string_view(buffer_).substr(0, size).contains("\r\n\r\n")) {
    wakeAt(connection.socket, 1);
    threads_->add(connection.socket);
    return true;
  }
  if (hasHungUp(connection.socket)) {
    closeConnection(connection.socket);
    return true;
  }
  if (size == limits_.maxHeaderBytes) {
    refuseConnection(connection.socket, "431 Request Header Fields Too Large");
    return true;
  }
  if (SteadyClock::now() >= connection.deadline) {
    refuseConnection(connection.socket, "408 Request Timeout");
    return true;
  }
  wakeAt(connection.socket, size + 1);
  return false;
}

void Reception::checkAll() {
  std::erase_if(waiting_, [this](const Waiting& connection) { return decide(connection); });
}

void Reception::makeRoom() {
  while (!waiting_.empty() && waiting_.size() + threads_->connections() > limits_.maxConnections) {
    refuseConnection(waiting_.front().socket, "503 Service Unavailable");
    waiting_.pop_front();
  }
}

int Reception::untilDeadlineMs() const {
  if (waiting_.empty()) {
    return -1;
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      waiting_.front().deadline - SteadyClock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count() + 1, 0));
}

void Reception::watch() {
  while (true) {
    takeNew();
    checkAll();
    makeRoom();
    {
      const std::scoped_lock lock(mutex_);
      if (stopped_) {
        break;
      }
    }
    std::vector<pollfd> ends = {{wake_, POLLIN, 0}};
    for (const Waiting& connection : waiting_) {
      ends.push_back({connection.socket, POLLIN, 0});
    }
    ::poll(ends.data(), ends.size(), untilDeadlineMs());
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto read = ::read(wake_, &ignored, sizeof ignored);
  }
  takeNew();
  for (const Waiting& connection : waiting_) {
    closeConnection(connection.socket);
  }
  waiting_.clear();
}

}  // namespace hone::serve
