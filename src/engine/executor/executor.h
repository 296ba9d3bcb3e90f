#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "engine/executor/unit.h"

namespace hone::engine {

/// Identifies a submitted unit.
using Ticket = std::string;

struct UnitResult;

/// Executes units in this process (LocalExecutor), on several devices (cluster::DeviceExecutor) or
/// on the nodes of a cluster (cluster::SlurmExecutor).
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Accepts a unit and returns the ticket for its result.
  [[nodiscard]] virtual Result<Ticket> submit(std::unique_ptr<Unit> unit) = 0;
  /// Waits until one of these units has its result; returns its index.
  [[nodiscard]] virtual Result<std::size_t> wait(std::span<const Ticket> tickets) = 0;
  /// Waits for the result of a unit and returns it, once.
  [[nodiscard]] virtual Result<UnitResult> result(const Ticket& ticket) = 0;
  /// Withdraws a unit; returns false if it has started.
  virtual bool withdraw(const Ticket& ticket) = 0;

  /// Returns the number of units performed in parallel.
  [[nodiscard]] virtual std::size_t places() const = 0;
  /// Returns the number of submitted units that keeps all places busy.
  [[nodiscard]] virtual std::size_t window() const = 0;
  /// Waits until units can be performed. Time budgets start after that.
  [[nodiscard]] virtual Result<void> awaitReady() = 0;
  /// Returns the status for a progress line, or "" if the units report it.
  [[nodiscard]] virtual std::string status() const = 0;
  /// Returns the CPU time that units spent on references in this process, which does not count as
  /// hone's overhead.
  [[nodiscard]] virtual std::int64_t referenceCpuNs() const = 0;
  /// Closes the executor after the run is finished in the store. Without close(), the state needed
  /// to continue an interrupted run is kept.
  [[nodiscard]] virtual Result<void> close() = 0;
};

}  // namespace hone::engine
