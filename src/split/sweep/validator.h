#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "engine/call_trials.h"
#include "engine/round_policies.h"
#include "engine/sampler.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "split/sweep/sweeper.h"
#include "stats/compare.h"
#include "store/store.h"

namespace hone::split {

/// A problem with the ways to split it that are to be held against the compiler's own.
struct ValidationOrder {
  SweepProblem problem;
  std::map<std::string, std::vector<std::int64_t>> sizes;  ///< by name: "1-D"; none: not split
  double sweptBaselineUs = 0;  ///< for a problem that nothing is to be measured of
};

/// One of them, measured.
struct ValidatedChoice {
  double timeUs = 0;
  /// Nothing where it is what the compiler does anyway.
  std::optional<stats::Comparison> comparison;
  [[nodiscard]] double speedup() const { return comparison ? comparison->speedup.estimate : 1; }
};

struct ValidationRecord {
  std::string arguments;
  double baselineUs = 0;                           ///< 0 where it failed
  std::map<std::string, ValidatedChoice> choices;  ///< by name; without those that failed
  std::vector<std::string> failures;
};

/// The final word on recommended splits: each against the program as the compiler builds it by
/// itself with split reduction on, side by side in fresh processes, until the difference is proven
/// or enough was tried.
class Validator {
 public:
  Validator(iree::Compiler& compiler, const iree::ModuleRunner& runner, store::Store& store,
            Progress& progress, std::int64_t run, std::vector<std::string> flags,
            std::uint64_t seed, const engine::Budget& budget = {})
      : compiler_(compiler),
        runner_(runner),
        store_(store),
        progress_(progress),
        flags_(std::move(flags)),
        seed_(seed),
        clock_(budget),
        sampler_(runner),
        trials_(store, run, sampler_) {}

  /// Problems beyond the budget have no verdict, and a failure that says so.
  [[nodiscard]] Result<std::vector<ValidationRecord>> validate(
      std::span<const ValidationOrder> orders);
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  struct Item;

  [[nodiscard]] Result<void> compileItems(std::vector<Item>& items);
  [[nodiscard]] Result<void> measureItem(Item& item);
  [[nodiscard]] Result<void> runRounds(Item& item);
  /// What was found, by the names that the order has for the ways to split.
  static void conclude(Item& item);

  iree::Compiler& compiler_;
  const iree::ModuleRunner& runner_;
  store::Store& store_;
  Progress& progress_;
  std::vector<std::string> flags_;
  std::uint64_t seed_;
  engine::BudgetClock clock_;  ///< starts with the validator
  engine::Sampler sampler_;
  engine::CallTrials trials_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::split
