#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/executor/executor.h"
#include "engine/executor/unit_result.h"
#include "engine/machine_lock.h"
#include "store/store.h"

namespace hone::cluster {

/// Executes units on several equal devices of this machine, one unit per device at a time, each in
/// a forked child. The child's UnitContext::place is the index of its device.
///
/// Compiles all units of a batch before it performs them: no compile overlaps a measurement. Holds
/// the machine lock for all children. A unit's trials are recorded when it is finished; a repeated
/// unit finds them. Not for CPU devices, which would disturb each other.
class DeviceExecutor : public engine::Executor {
 public:
  /// The arguments must outlive the executor.
  DeviceExecutor(store::Store& store, std::int64_t run, std::size_t devices)
      : store_(store), run_(run), devices_(devices) {}
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;
  /// Kills the units that are being performed.
  ~DeviceExecutor() override;

  [[nodiscard]] Result<engine::Ticket> submit(std::unique_ptr<engine::Unit> unit) override;
  [[nodiscard]] Result<std::size_t> wait(std::span<const engine::Ticket> tickets) override;
  [[nodiscard]] Result<engine::UnitResult> result(const engine::Ticket& ticket) override;
  bool withdraw(const engine::Ticket& ticket) override;
  [[nodiscard]] std::size_t places() const override { return devices_; }
  [[nodiscard]] std::size_t window() const override;
  [[nodiscard]] Result<void> awaitReady() override { return {}; }
  [[nodiscard]] std::string status() const override { return {}; }
  [[nodiscard]] std::int64_t referenceCpuNs() const override { return 0; }
  [[nodiscard]] Result<void> close() override { return {}; }

 private:
  struct Queued {
    engine::Ticket ticket;
    std::unique_ptr<engine::Unit> unit;
    bool prepared = false;
  };
  /// A child that performs a unit.
  struct Running {
    engine::Ticket ticket;
    std::size_t place = 0;
    pid_t child = -1;
    int pipe = -1;
    std::string answer;  ///< received so far
  };

  /// Starts units on idle devices. Prepares the next batch if no unit is running.
  [[nodiscard]] Result<void> startUnits();
  [[nodiscard]] Result<void> prepareBatch();
  [[nodiscard]] Result<void> start(Queued queued, std::size_t place);
  /// Reads the answers of the children; waits up to a second for one.
  [[nodiscard]] Result<void> collect();
  /// Reaps a child that has closed its pipe, and keeps the result of its unit.
  [[nodiscard]] Result<void> finish(const Running& running);
  [[nodiscard]] std::size_t idlePlace() const;

  store::Store& store_;
  std::int64_t run_;
  std::size_t devices_;
  std::optional<std::vector<store::TrialRecord>> earlier_;  ///< of the run when it was continued
  std::int64_t submitted_ = 0;
  std::deque<Queued> queue_;
  std::vector<Running> running_;
  std::optional<engine::MachineLock> lock_;  ///< while units are running
  std::map<engine::Ticket, engine::UnitResult> results_;
};

}  // namespace hone::cluster
