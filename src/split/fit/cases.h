#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/fit/heuristic.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// The quantity that fits minimize: first the number of decisions without a measured time, then the
/// cost of the measured ones. No time is assumed for a decision that was not measured.
struct Objective {
  std::int64_t unmeasured = 0;
  double value = 0;

  auto operator<=>(const Objective&) const = default;
  Objective& operator+=(const Objective& other) {
    unmeasured += other.unmeasured;
    value += other.value;
    return *this;
  }
  Objective& operator-=(const Objective& other) {
    unmeasured -= other.unmeasured;
    value -= other.value;
    return *this;
  }
  friend Objective operator+(Objective a, const Objective& b) { return a += b; }
  friend Objective operator-(Objective a, const Objective& b) { return a -= b; }
};

/// Cost of decisions.
struct Cost {
  double loss = 0;              ///< sum of log(time / best); less than 2 % counts as 0
  double value = 0;             ///< loss with regressed shapes weighted tenfold
  std::int64_t regressed = 0;   ///< shapes slower than their baseline by more than 5 %
  std::int64_t unmeasured = 0;  ///< shapes without a measured time; the rest ignores them

  Cost& operator+=(const Cost& other);
  [[nodiscard]] Objective objective() const { return {unmeasured, value}; }
};

/// Minimum saving of a rung (one condition of a ladder) or a changed constant: one shape 5 %
/// faster.
inline constexpr double kRungCost = 0.05;

/// A shape with its costs under each decision.
struct Case {
  const ShapeResult* shape = nullptr;  ///< never null; not owned
  std::int64_t outputSize = 0, reductionSize = 0;
  std::vector<Cost> limitCosts;  ///< one per entry of Cases::limits
  std::vector<Cost> capCosts;    ///< one per entry of Cases::caps, for min(cap, …)
  Cost skipCost;                 ///< of no split
};

/// The shapes of one kind, prepared for fitting.
struct Cases {
  /// Limits a ladder may use, ascending. The limit 1 stands for no split.
  std::vector<std::int64_t> limits;
  std::vector<std::int64_t> caps;  ///< caps a ladder may end in, ascending, up to 16
  std::vector<Case> all;           ///< ascending by output size, then by reduction size
};

/// Returns the sizes of the cases; zeros if there are none.
[[nodiscard]] MeasuredRange measureRange(const Cases& cases);

/// Returns the sweep's shapes that have a reduction and a time for a limit or for no split. A limit
/// without a time for a shape failed there or was skipped as too slow: fits avoid it.
[[nodiscard]] Cases collectCases(const SweepResult& sweep, model::ReductionKind kind);

/// Returns the cost under a ladder. Its limits and cap must be among those of the cases.
[[nodiscard]] Cost costUnder(const Cases& cases, const Ladder& ladder, const Case& one);
[[nodiscard]] Cost costUnder(const Cases& cases, const Ladder& ladder);
/// Returns the cost including the early returns.
[[nodiscard]] Cost costUnder(const Cases& cases, const Heuristic& heuristic);

/// Cross-validation folds. Neighbours in size are in different folds, cases of equal sizes in the
/// same one. There are at most as many folds as sizes.
struct Folds {
  std::size_t count = 0;
  std::vector<std::size_t> ofCase;
};
[[nodiscard]] Folds makeFolds(const Cases& cases);

/// Return the cases inside or outside a fold.
[[nodiscard]] Cases inFold(const Cases& cases, const Folds& folds, std::size_t fold);
[[nodiscard]] Cases outsideFold(const Cases& cases, const Folds& folds, std::size_t fold);

}  // namespace hone::split
