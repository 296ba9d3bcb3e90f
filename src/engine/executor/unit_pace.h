#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "engine/budget.h"

namespace hone::engine {

/// Decides whether another unit of a stage fits into its share of the budget, judging by the mean
/// duration of the units so far. Units cannot be interrupted, so one that starts late would exceed
/// the budget by its whole duration.
class UnitPace {
 public:
  /// The stage ends at this fraction of the clock's budget. `places` units run in parallel. The
  /// clock must outlive the pace.
  UnitPace(const BudgetClock& clock, double fraction, std::size_t places)
      : clock_(clock), fraction_(fraction), places_(places), start_(clock.used()) {}

  void finishUnit() { ++finished_; }
  /// Returns true if no further unit should start; false without a limit on time.
  [[nodiscard]] bool isOver() const;
  /// Returns the number of units to submit at a time. The units in flight are compiled together
  /// before the first one is measured, which takes long if they are many.
  [[nodiscard]] std::size_t window() const;

 private:
  const BudgetClock& clock_;
  double fraction_;
  std::size_t places_;
  std::chrono::milliseconds start_;
  std::int64_t finished_ = 0;
};

}  // namespace hone::engine
