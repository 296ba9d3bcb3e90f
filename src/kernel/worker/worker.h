#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "base/random.h"
#include "kernel/worker/counters.h"
#include "kernel/worker/worker_process.h"

namespace hone::kernel {

/// What came of a request.
struct Reply {
  enum class Status : std::uint8_t {
    ok,
    failed,    ///< the worker says so: `kind` and `message`
    ended,     ///< its process is gone
    timedOut,  ///< no answer in time; its process was killed
    garbled,   ///< an answer that no worker gives; its process was killed
  };
  Status status = Status::ok;
  std::string kind;
  std::string message;  ///< one line; "" when ok
  std::string detail;
  nlohmann::json body = nlohmann::json::object();

  [[nodiscard]] bool ok() const { return status == Status::ok; }
};

/// The CPU time of a worker's process at a moment at which all of it slept.
struct Rest {
  std::int64_t allNs = 0;
  std::int64_t mainNs = 0;  ///< of the thread that serves requests; all, where nobody can tell

  [[nodiscard]] std::int64_t othersNs() const { return allNs - mainNs; }
};

/// A reply with what the worker's process took between "go" and "done", by this process's clocks.
struct TimedReply {
  Reply reply;
  double wallNs = 0;
  double cpuNs = 0;
  double flushCpuNs = 0;       ///< what a Python worker needed afterwards to copy its outputs
  Rest before;                 ///< when it was told to go
  Rest after;                  ///< when it had answered, and had nothing more to do
  std::vector<double> counts;  ///< of processorEvents(); none where they are not counted
};

/// The judge's side of a worker, C++ or Python; docs/kernel-worker.md is the protocol. The process
/// group dies with the object. An error of a member is an interrupt or the machine's.
class Worker {
 public:
  [[nodiscard]] static Result<Worker> start(const WorkerCommand& command);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// Sends the request, with an id of its own, and waits for the answer.
  [[nodiscard]] Result<Reply> ask(nlohmann::json request, std::chrono::milliseconds limit);
  /// A request `time`: readies the worker, then reads the clocks around its iterations.
  [[nodiscard]] Result<TimedReply> time(nlohmann::json request, std::chrono::milliseconds limit);

  /// From now on times come with the processor's counters, where there are any.
  void countEvents() { counters_ = Counters::open(measured_, processorEvents()); }
  /// Waits until nothing runs in it.
  [[nodiscard]] Rest rest() const;
  /// How many threads its process has; 0 where that cannot be seen.
  [[nodiscard]] std::size_t threads() const;
  /// Whether threads go on computing although the worker waits for a request; "" or a sentence.
  [[nodiscard]] std::string busyWhileIdle() const;
  /// What the kernel printed, its end when it is long.
  [[nodiscard]] std::string log() const;
  [[nodiscard]] bool alive() const { return pid_ > 0; }

 private:
  Worker() = default;
  [[nodiscard]] bool send(std::string_view line) const;
  [[nodiscard]] Result<Reply> answerTo(std::uint64_t id, std::chrono::milliseconds limit);
  [[nodiscard]] Result<std::string> readLine(std::int64_t deadlineNs, Reply& reply);
  [[nodiscard]] Reply parsed(const std::string& line, std::uint64_t id);
  void adoptProcess(const nlohmann::json& body);
  /// Ends the whole group and says how the process ended.
  Ending stop();
  [[nodiscard]] Ending reap() const;

  pid_t pid_ = -1;
  pid_t measured_ = -1;  ///< the process that runs the kernel: itself, or a child of it
  int requests_ = -1;
  int answers_ = -1;
  std::string pending_;  ///< read, and not yet a whole line
  std::filesystem::path log_;
  std::shared_ptr<PythonForkServer> forkServer_;  ///< whose child it is, not this process's
  Random random_{0};
  std::optional<Counters> counters_;
};

}  // namespace hone::kernel
