#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/budget.h"
#include "engine/executor/run_units.h"
#include "split/sweep/sweep_unit.h"

namespace hone::split {

struct SweepOptions {
  SweepSettings settings;
  std::string device;                           ///< name of the device
  std::optional<std::int64_t> trials;           ///< maximum number of trials
  engine::BudgetClock clock{engine::Budget()};  ///< counts down the time of the whole command
  double budgetShare = 1;  ///< share of the time for the sweep; the rest is for validation
  Rerun rerun{};           ///< tables to measure again for problems with an earlier record
};

/// Sweeps problems, one unit each. Reuses measurements of earlier runs.
class Sweeper {
 public:
  /// All arguments must outlive the sweeper.
  Sweeper(const engine::UnitRun& run, const SweepTools& tools, SweepOptions options)
      : run_(run), tools_(tools), options_(std::move(options)) {}

  /// Sets the records of earlier runs, by key.
  void reuse(std::map<std::string, ShapeRecord> earlier) { earlier_ = std::move(earlier); }
  /// Returns the records in the order of the problems. Problems beyond the budget have a failure
  /// that names it.
  [[nodiscard]] Result<std::vector<ShapeRecord>> sweep(std::span<const SweepProblem> problems);

 private:
  /// Returns the key of a problem's record: equal if the measurement would be identical.
  [[nodiscard]] std::string recordKey(const SweepProblem& problem) const;
  /// Stores the result in the record; adds it if the record is known from an earlier run.
  [[nodiscard]] Result<void> take(ShapeRecord& record, const SweepProblem& problem,
                                  const engine::UnitResult& result);

  engine::UnitRun run_;
  const SweepTools& tools_;
  SweepOptions options_;
  std::map<std::string, ShapeRecord> earlier_;  ///< by key
};

}  // namespace hone::split
