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

/// Reply to a request.
struct Reply {
  enum class Status : std::uint8_t {
    ok,
    failed,    ///< reported by the worker: `kind` and `message`
    ended,     ///< the process ended
    timedOut,  ///< no reply in time; the process was killed
    garbled,   ///< not a valid reply; the process was killed
  };
  Status status = Status::ok;
  std::string kind;
  std::string message;  ///< one line; "" when ok
  std::string detail;
  nlohmann::json body = nlohmann::json::object();

  [[nodiscard]] bool ok() const { return status == Status::ok; }
};

/// CPU time of a worker process, read while all of its threads slept.
struct IdleCpuTime {
  std::int64_t allNs = 0;
  std::int64_t mainNs = 0;  ///< of the thread that serves requests; allNs if unknown

  [[nodiscard]] std::int64_t othersNs() const { return allNs - mainNs; }
};

/// A reply with the time that the worker took between "go" and "done", by the clocks of this
/// process.
struct TimedReply {
  Reply reply;
  double wallNs = 0;
  double cpuNs = 0;
  double flushCpuNs = 0;       ///< CPU time of a Python worker for copying its outputs afterwards
  IdleCpuTime before;          ///< when "go" was sent
  IdleCpuTime after;           ///< after the reply, once all threads slept
  std::vector<double> counts;  ///< of processorEvents(); empty if not counted
};

/// The judge's side of a worker, C++ or Python. The protocol is in docs/kernel-worker.md. The
/// process group is killed on destruction. Errors are interrupts or machine errors.
class Worker {
 public:
  [[nodiscard]] static Result<Worker> start(const WorkerCommand& command);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// Sends a request with a new random id and waits for the reply.
  [[nodiscard]] Result<Reply> ask(nlohmann::json request, std::chrono::milliseconds limit);
  /// Sends a `time` request: waits until the worker is ready, then times its iterations.
  [[nodiscard]] Result<TimedReply> time(nlohmann::json request, std::chrono::milliseconds limit);

  /// Counts events during timed requests from now on, if the processor can.
  void countEvents() { counters_ = Counters::open(measured_, processorEvents()); }
  /// Waits until all threads sleep and returns their CPU time.
  [[nodiscard]] IdleCpuTime waitUntilIdle() const;
  /// Returns the number of threads of the process; 0 if unknown.
  [[nodiscard]] std::size_t threads() const;
  /// Describes threads that compute while the worker waits for a request; "" if there are none.
  [[nodiscard]] std::string busyWhileIdle() const;
  /// Returns the end of the kernel's output.
  [[nodiscard]] std::string log() const;
  [[nodiscard]] bool alive() const { return pid_ > 0; }

 private:
  Worker() = default;
  [[nodiscard]] bool send(std::string_view line) const;
  [[nodiscard]] Result<Reply> awaitReply(std::uint64_t id, std::chrono::milliseconds limit);
  [[nodiscard]] Result<std::string> readLine(std::int64_t deadlineNs, Reply& reply);
  [[nodiscard]] Reply parseReply(const std::string& line, std::uint64_t id);
  void adoptProcess(const nlohmann::json& body);
  /// Kills the process group and returns how the process ended.
  Ending stop();
  [[nodiscard]] Ending reap() const;

  pid_t pid_ = -1;
  pid_t measured_ = -1;  ///< the process that runs the kernel: pid_ or a child of it
  int requests_ = -1;
  int replies_ = -1;
  std::string pending_;  ///< received part of an incomplete line
  std::filesystem::path log_;
  std::shared_ptr<PythonForkServer> forkServer_;  ///< parent of the process, if forked
  Random random_{0};
  std::optional<Counters> counters_;
};

}  // namespace hone::kernel
