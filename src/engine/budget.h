#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace hone::engine {

/// Limit on the time and the trials of a run. Unlimited if neither is set.
struct Budget {
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::int64_t> trials;
};

/// Parses "10m", "90s", "1h", "200trials", or a time and trials separated by a comma.
[[nodiscard]] Result<Budget> budgetFrom(std::string_view text);

/// Returns an equal part of the budget, at least a millisecond and a trial.
[[nodiscard]] Budget divideBudget(const Budget& budget, std::size_t parts);

/// Counts down a time budget. Stages before the final end at a fraction of it, so that time is
/// left to prove the result. Waiting for the machine lock does not count.
class BudgetClock {
 public:
  /// `now` returns monotonic nanoseconds; tests inject it.
  explicit BudgetClock(const Budget& budget, std::function<std::int64_t()> now = nowNs);
  /// Excludes this time from the budget, for example waiting for the nodes of a cluster.
  void exclude(std::int64_t ns) { startNs_ += ns; }
  /// Returns the time used so far.
  [[nodiscard]] std::chrono::milliseconds used() const;
  /// Returns true once this fraction of the time is used up; always false without a limit.
  [[nodiscard]] bool spent(double fraction) const;
  /// Returns the time until this fraction is used up, or nullopt without a limit.
  [[nodiscard]] std::optional<std::chrono::milliseconds> leftUntil(double fraction) const;
  /// Returns the monotonic time at which this fraction is used up, or 0 without a limit.
  [[nodiscard]] std::int64_t deadlineNs(double fraction) const;
  /// Returns the remaining time as a budget, at least a millisecond.
  [[nodiscard]] Budget left() const;

 private:
  [[nodiscard]] std::int64_t usedNs() const;

  std::function<std::int64_t()> now_;
  std::int64_t startNs_;
  std::int64_t waitedBeforeNs_;  ///< MachineLock::waitedNs() at the start
  std::int64_t allowedNs_;       ///< 0 if unlimited
};

}  // namespace hone::engine
