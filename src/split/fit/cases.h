#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "split/fit/heuristic.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// What a fit pays for times.
struct Cost {
  double loss = 0;   ///< the sum of log(time / best), where less than 2 % counts as nothing
  double value = 0;  ///< the same with shapes that regressed counted tenfold
  std::int64_t regressed = 0;  ///< shapes slower than their baseline by more than 5 %

  Cost& operator+=(const Cost& other);
};

/// A rung or a changed constant must save at least this: as much as one shape 5 % faster.
inline constexpr double kRungCost = 0.05;

/// A shape as the fits see it.
struct Case {
  const ShapeResult* shape = nullptr;  ///< never null; the caller keeps it
  std::int64_t outputSize = 0, reductionSize = 0;
  std::vector<Cost> limitCosts;  ///< one for each of Cases::limits
  std::vector<Cost> capCosts;    ///< the same where a ladder ends in min(cap, …)
  std::optional<Cost> skipCost;  ///< of not splitting, where that was measured
};

/// The shapes of one kind.
struct Cases {
  std::vector<std::int64_t> limits;  ///< that a ladder may give, ascending
  std::vector<std::int64_t> caps;    ///< that it may end in, ascending: up to 16
  std::vector<Case> all;             ///< ascending by output size, then by reduction size
};

/// Those of the sweep's shapes that have a sum and a time under a limit. A limit that was swept and
/// has no time for a shape has failed there, and costs more than any that has one.
[[nodiscard]] Cases casesOf(const SweepResult& sweep, model::ReductionKind kind);

/// The ladder's limits and its cap must be among those of the cases.
[[nodiscard]] Cost costUnder(const Cases& cases, const Ladder& ladder, const Case& one);
[[nodiscard]] Cost costUnder(const Cases& cases, const Ladder& ladder);
/// With the early returns; what they skip without a measured time is free.
[[nodiscard]] Cost costUnder(const Cases& cases, const Heuristic& heuristic);

/// The fold of each case, from 0 on: neighbours in size are in different folds, cases of the same
/// sizes in the same one. No more folds than there are sizes.
struct Folds {
  std::size_t count = 0;
  std::vector<std::size_t> ofCase;
};
[[nodiscard]] Folds foldsOf(const Cases& cases);

/// The cases that are in the fold, or all the others.
[[nodiscard]] Cases inFold(const Cases& cases, const Folds& folds, std::size_t fold);
[[nodiscard]] Cases outsideFold(const Cases& cases, const Folds& folds, std::size_t fold);

}  // namespace hone::split
