#pragma once

#include <cstdint>
#include <map>
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
  std::string device;  ///< its name
  engine::Budget budget;
  double budgetShare = 1;  ///< of its time, for the sweep; validation has the rest
};

/// Sweeps problems, one unit each. Problems that earlier runs measured are not measured again.
class Sweeper {
 public:
  /// All must outlive it.
  Sweeper(const engine::UnitRun& run, const SweepTools& tools, SweepOptions options)
      : run_(run), tools_(tools), options_(std::move(options)) {}

  /// Takes over what earlier runs measured, by race.
  void reuse(std::map<std::string, ShapeRecord> earlier) { earlier_ = std::move(earlier); }
  /// Returns the records in the order of the problems. Those beyond the budget have a failure that
  /// says so.
  [[nodiscard]] Result<std::vector<ShapeRecord>> sweep(std::span<const SweepProblem> problems);

 private:
  /// Returns the key of a problem's record: equal where the very same would be measured.
  [[nodiscard]] std::string raceOf(const SweepProblem& problem) const;
  [[nodiscard]] Result<void> take(ShapeRecord& record, const SweepProblem& problem,
                                  const engine::UnitResult& result);

  engine::UnitRun run_;
  const SweepTools& tools_;
  SweepOptions options_;
  std::map<std::string, ShapeRecord> earlier_;  ///< by race
};

}  // namespace hone::split
