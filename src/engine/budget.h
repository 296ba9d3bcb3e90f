#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace hone::engine {

/// A limit on the time and the trials of a run; without either it is unlimited.
struct Budget {
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::int64_t> trials;
};

/// Reads "10m", "90s", "1h", "200trials" and two of them with a comma.
[[nodiscard]] Result<Budget> budgetFrom(std::string_view text);

/// An even part of it, a moment and a trial at least.
[[nodiscard]] Budget partOf(const Budget& budget, std::size_t parts);

/// Counts down a budget of time. Stages before the final end at a fraction of it, so that time is
/// left to prove the result. Waiting for the machine lock does not count.
class BudgetClock {
 public:
  explicit BudgetClock(const Budget& budget);
  /// Returns true once this fraction of the time is used up; never without a bound.
  [[nodiscard]] bool spent(double fraction) const;
  /// Returns the time until this fraction is used up; nothing without a bound.
  [[nodiscard]] std::optional<std::chrono::milliseconds> leftUntil(double fraction) const;
  /// Returns what is left as a budget, at least a millisecond.
  [[nodiscard]] Budget left() const;

 private:
  [[nodiscard]] std::int64_t usedNs() const;

  std::int64_t startNs_;
  std::int64_t waitedBeforeNs_;  ///< for the machine lock
  std::int64_t allowedNs_;       ///< 0: without bound
};

}  // namespace hone::engine
