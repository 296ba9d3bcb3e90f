#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "engine/call_trials.h"
#include "engine/sampler.h"
#include "engine/verifier.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "model/problem/problem.h"
#include "split/sweep/choices.h"
#include "split/sweep/sweep_result.h"
#include "store/store.h"

namespace hone::split {

/// A problem with the line that reports show for it.
struct SweepProblem {
  std::string arguments;
  model::Problem problem;
};

struct SweepOptions {
  std::vector<std::int64_t> limits;
  std::vector<std::string> flags;  ///< the target's
  std::string compiler;            ///< its revision, how the limits are put into it, and where
  engine::Budget budget;
  double budgetShare = 1;  ///< of its time, for the sweep; validation has the rest
  std::uint64_t seed = 1;
};

using model::ShapeRecord;

/// The problems as sources in the folder, one function each.
[[nodiscard]] Result<std::vector<iree::CompileRequest>> requestsFor(
    std::span<const SweepProblem> problems, const std::vector<std::string>& flags,
    const std::filesystem::path& folder);

/// Problems split in every way that the limits ask for: compiled from one IR each, verified, and
/// all ways of a problem measured side by side. Every trial and every round is in the store before
/// the next begins; what the store has already is not done again.
class Sweeper {
 public:
  Sweeper(ChoiceCompiler compile, const iree::ModuleRunner& runner, store::Store& store,
          Progress& progress, std::int64_t run, SweepOptions options)
      : compile_(std::move(compile)),
        runner_(runner),
        store_(store),
        progress_(progress),
        options_(std::move(options)),
        sampler_(runner),
        trials_(store, run, sampler_) {}

  /// Learns what this run did before, and what earlier runs measured of the same problems.
  [[nodiscard]] Result<void> restore(std::map<std::string, ShapeRecord> earlier);
  /// In the order of the problems. Those beyond the budget are left out and named.
  [[nodiscard]] Result<std::vector<ShapeRecord>> sweep(std::span<const SweepProblem> problems);

  /// What a problem's record is found again by: equal where the very same would be measured.
  [[nodiscard]] std::string raceOf(const SweepProblem& problem) const;
  /// What was learnt by restore(); nullptr where the problem is new.
  [[nodiscard]] const ShapeRecord* earlier(const SweepProblem& problem) const;

  /// CPU time spent on the reference in this process; it is not hone's own.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  struct Item;
  struct Entry;

  [[nodiscard]] Result<std::vector<Item>> compileItems(std::span<const SweepProblem> problems,
                                                       std::span<const std::size_t> which,
                                                       const std::filesystem::path& folder);
  [[nodiscard]] static Entry entryOf(const Item& item, std::size_t choice,
                                     const engine::Inputs& inputs);
  /// Screens the choices and returns the best time; 0 if none runs.
  [[nodiscard]] Result<double> screenAll(const Item& item, std::vector<Entry>& entries);
  /// Measures the choices that passed side by side.
  [[nodiscard]] Result<void> measure(std::vector<Entry>& entries, double bestNs);
  /// Those that may be recommended, and the baseline.
  [[nodiscard]] Result<void> verifyViable(std::vector<Entry>& entries, engine::Verifier& verifier);
  /// All its choices measured, those that may win verified.
  [[nodiscard]] Result<std::vector<Entry>> tryAll(const Item& item);
  [[nodiscard]] Result<void> measureItem(const Item& item, ShapeRecord& record);

  ChoiceCompiler compile_;
  const iree::ModuleRunner& runner_;
  store::Store& store_;
  Progress& progress_;
  SweepOptions options_;
  engine::Sampler sampler_;
  engine::CallTrials trials_;
  std::map<std::string, ShapeRecord> earlier_;  ///< by race
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::split
