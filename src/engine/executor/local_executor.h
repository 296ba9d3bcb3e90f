#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "engine/executor/executor.h"
#include "engine/executor/unit_result.h"

namespace hone::engine {

/// Performs units in this process, one at a time, inside wait(). Units record directly in the
/// store, so a kill loses at most the current trial.
class LocalExecutor : public Executor {
 public:
  /// The arguments must outlive the executor.
  LocalExecutor(store::Store& store, std::int64_t run, Progress& progress)
      : log_(store, run), context_{log_, progress} {}

  [[nodiscard]] Result<Ticket> submit(std::unique_ptr<Unit> unit) override;
  [[nodiscard]] Result<std::size_t> wait(std::span<const Ticket> tickets) override;
  [[nodiscard]] Result<UnitResult> result(const Ticket& ticket) override;
  bool withdraw(const Ticket& ticket) override;
  [[nodiscard]] std::size_t places() const override { return 1; }
  [[nodiscard]] std::size_t window() const override;
  [[nodiscard]] Result<void> awaitReady() override { return {}; }
  [[nodiscard]] std::string status() const override { return {}; }
  [[nodiscard]] Result<void> close() override { return {}; }
  [[nodiscard]] std::int64_t referenceCpuNs() const override { return context_.referenceCpuNs; }

 private:
  struct Queued {
    Ticket ticket;
    std::unique_ptr<Unit> unit;
    bool prepared = false;
  };

  /// Prepares the unit at this queue index together with later ones of its kind.
  [[nodiscard]] Result<void> prepare(std::size_t first);
  /// Removes the unit at this index from the queue and performs it.
  [[nodiscard]] Result<void> perform(std::size_t index);

  TrialLog log_;
  UnitContext context_;
  bool restored_ = false;
  std::int64_t submitted_ = 0;
  std::deque<Queued> queue_;
  std::map<Ticket, UnitResult> results_;
};

}  // namespace hone::engine
