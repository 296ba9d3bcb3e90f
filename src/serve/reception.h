#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hone::serve {

struct ReceptionLimits {
  std::size_t threads = 32;                       ///< answer requests
  std::size_t maxConnections = 256;               ///< waiting, queued and being answered
  std::size_t maxHeaderBytes = 8192;              ///< of a request
  std::chrono::milliseconds headerTimeout{5000};  ///< from the connection to the last header
};

/// Receives connections and answers each in a thread, but only once all headers of its request have
/// arrived: silent and slow clients cost a socket, not a thread. Closes connections that exceed a
/// limit; if there are too many, those that have waited longest.
class Reception {
 public:
  /// Answers the request on a socket; the headers can be read without waiting. Does not close it.
  using Answer = std::function<void(int socket)>;

  explicit Reception(Answer answer, ReceptionLimits limits = {});
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;
  Reception(Reception&&) = delete;
  Reception& operator=(Reception&&) = delete;
  ~Reception();

  /// Takes over a connection. Never blocks.
  void add(int socket);
  /// Closes waiting connections and waits for those being answered.
  void stop();

 private:
  struct Waiting {
    int socket = -1;
    std::chrono::steady_clock::time_point deadline;
  };
  class Threads;

  void watch();
  void takeNew();
  void checkAll();
  /// Passes the connection on or closes it; returns false if its headers are incomplete.
  [[nodiscard]] bool decide(const Waiting& connection);
  void makeRoom();
  [[nodiscard]] int untilDeadlineMs() const;

  Answer answer_;
  ReceptionLimits limits_;
  int wake_ = -1;  ///< an eventfd
  std::mutex mutex_;
  std::vector<int> added_;  ///< by add(), not yet in waiting_
  bool stopped_ = false;
  std::deque<Waiting> waiting_;  ///< oldest first; only used by the thread
  std::string buffer_;           ///< only used by the thread
  std::unique_ptr<Threads> threads_;
  std::thread thread_;
};

}  // namespace hone::serve
