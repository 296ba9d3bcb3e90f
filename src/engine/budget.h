#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace hone::engine {

/// How much a run may spend: time, trials, or without bound.
struct Budget {
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::int64_t> trials;
};

/// Reads "10m", "90s", "1h", "200trials" and two of them with a comma.
[[nodiscard]] Result<Budget> budgetFrom(std::string_view text);

/// An even part of it, a moment and a trial at least.
[[nodiscard]] Budget partOf(const Budget& budget, std::size_t parts);

/// A budget of time as it is used up. The final has its share: the stages before it end early
/// rather than leave nothing to prove the result with.
class BudgetClock {
 public:
  explicit BudgetClock(const Budget& budget);
  /// This fraction of the time, or more, is used up; never without a bound.
  [[nodiscard]] bool spent(double fraction) const;
  /// How long it is until this fraction is used up; nothing without a bound.
  [[nodiscard]] std::optional<std::chrono::milliseconds> leftUntil(double fraction) const;
  /// What is left as a budget of its own, a moment at least: its stages end with this one's.
  [[nodiscard]] Budget left() const;

 private:
  std::int64_t startNs_;
  std::int64_t allowedNs_;  ///< 0: without bound
};

}  // namespace hone::engine
