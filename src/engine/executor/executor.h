#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "engine/executor/unit.h"

namespace hone::engine {

/// Stands for a unit that was submitted.
using Ticket = std::string;

struct UnitResult;

/// Carries out units: in this process (LocalExecutor) or on the nodes of a cluster
/// (cluster::SlurmExecutor).
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
  /// Takes back a unit; returns false if it is under way or done.
  virtual bool withdraw(const Ticket& ticket) = 0;

  /// Returns how many units are performed at a time.
  [[nodiscard]] virtual std::size_t places() const = 0;
  /// Returns how many submitted units keep all places busy.
  [[nodiscard]] virtual std::size_t window() const = 0;
  /// Waits until units can be performed: time budgets start after that.
  [[nodiscard]] virtual Result<void> awaitReady() = 0;
  /// Returns what it does now for a progress line; "" if the units show that themselves.
  [[nodiscard]] virtual std::string status() const = 0;
  /// Returns the CPU time that units spent on references in this process; it is not hone's own.
  [[nodiscard]] virtual std::int64_t referenceCpuNs() const = 0;
  /// Ends it after the run was finished in the store. Without close() an interrupted run leaves
  /// what it needs to continue.
  [[nodiscard]] virtual Result<void> close() = 0;
};

}  // namespace hone::engine
