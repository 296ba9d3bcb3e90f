#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/executor/executor.h"
#include "store/store.h"

namespace hone::engine {

/// The run of the units and the executor that performs them.
struct UnitRun {
  Executor& executor;
  store::Store& store;
  std::int64_t run = 0;
  Progress& progress;
};

/// The units of one stage of a run.
struct UnitBatch {
  std::size_t count = 0;
  std::function<Result<std::unique_ptr<Unit>>(std::size_t index)> make;
  /// Names a unit in the progress line and in the store.
  std::function<std::string(std::size_t index)> label;
  /// Called with each result as soon as it is available, in any order.
  std::function<Result<void>(std::size_t index, const UnitResult& result)> take;
  std::size_t window = SIZE_MAX;  ///< maximum number of units in flight, besides the executor's
  /// Returns true once no new unit may start. Optional.
  std::function<bool()> outOfBudget{};
};

/// Runs the units and keeps the executor busy. Records the trials of units that other processes
/// performed, and a failed trial per failed unit, and advances the progress. Returns the indices of
/// the units skipped for lack of budget.
[[nodiscard]] Result<std::vector<std::size_t>> runUnits(const UnitRun& run, const UnitBatch& batch);

}  // namespace hone::engine
