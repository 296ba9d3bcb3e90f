#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernel/worker/python/worker_requests.h"
#include "kernel/worker/shared_page.h"
#include "kernel/worker/supervised_process.h"
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

/// Pages that the supervisor shares with a process.
struct WorkerPages {
  int control = -1;  ///< read-only descriptor; -1: none
  int status = -1;   ///< writable descriptor
  StopCounts counts;
};

/// Creates the file that receives the output of a process. It is nameless, so that no later process
/// can read it.
[[nodiscard]] Result<Descriptor> makeLog();
/// Returns the end of a log.
[[nodiscard]] std::string readLog(const Descriptor& log);

/// Sends requests to a Python process (docs/kernel-worker.md). Errors are interrupts or machine
/// errors.
class Worker {
 public:
  /// `pages` are for a process that is frozen between calls.
  [[nodiscard]] static Result<Worker> start(const WorkerCommand& command,
                                            const WorkerPages& pages = {});

  /// Sends a request with a new random id and waits for the reply.
  [[nodiscard]] Result<Reply> ask(const WorkerRequest& request, std::chrono::milliseconds limit);
  /// Returns the failure that the frozen process reported without a request; nullopt if there is
  /// none.
  [[nodiscard]] std::optional<Reply> takeFailure();
  /// Returns the end of the kernel's output.
  [[nodiscard]] std::string log() const { return readLog(log_); }
  [[nodiscard]] SupervisedProcess& process() { return process_; }
  [[nodiscard]] const SupervisedProcess& process() const { return process_; }

 private:
  Worker(SupervisedProcess process, Descriptor log)
      : process_(std::move(process)), log_(std::move(log)) {}
  [[nodiscard]] bool send(std::string_view line) const;
  [[nodiscard]] Result<Reply> awaitReply(std::uint64_t id, std::chrono::milliseconds limit);
  [[nodiscard]] Result<std::string> readLine(std::int64_t deadlineNs, Reply& reply);
  [[nodiscard]] Reply parseReply(const std::string& line, std::uint64_t id);

  SupervisedProcess process_;
  Descriptor requests_;
  Descriptor replies_;
  std::string pending_;  ///< received part of an incomplete line
  Descriptor log_;
  Random random_{0};
};

}  // namespace hone::kernel
