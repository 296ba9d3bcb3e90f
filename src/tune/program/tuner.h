#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "tune/layers/layer_search.h"
#include "tune/program/dispatch_search.h"
#include "tune/program/history.h"
#include "tune/program/stage_shares.h"
#include "tune/program/tunable_finder.h"
#include "tune/program/tune_result.h"

namespace hone::tune {

struct TuneOptions {
  std::string strategy = "evolve";
  engine::Budget budget;
  DispatchSelection tunables;
  bool tryFlags = true;  ///< try program-wide flags before the dispatches
  std::int64_t rounds = 20;
  std::vector<std::string> inputSpecs;  ///< the user's
  /// Existing candidates, by dispatch name.
  std::map<std::string, std::vector<model::Config>> planned;
  bool onlyPlanned = false;  ///< try nothing else
};

/// Tunes a program: first program-wide flags, then the knobs of each dispatch, then the proof.
class Tuner {
 public:
  /// Reads earlier winners from the store. `folder` holds scratch files. Fails with a user error if
  /// the program's results cannot be compared.
  [[nodiscard]] static Result<Tuner> make(const engine::TrialContext& bench, iree::Target target,
                                          WholeProgram whole, TuneOptions options,
                                          std::filesystem::path folder);

  [[nodiscard]] Result<TuneResult> run();

 private:
  Tuner(const engine::TrialContext& bench, iree::Target target, WholeProgram whole,
        TuneOptions options, std::filesystem::path folder, History history)
      : bench_(bench),
        target_(std::move(target)),
        whole_(std::move(whole)),
        options_(std::move(options)),
        folder_(std::move(folder)),
        history_(std::move(history)),
        clock_(options_.budget) {}

  [[nodiscard]] std::vector<std::string> listFlags(const Variant& variant) const;
  /// Lists the layers of the program; none if it does not compile.
  [[nodiscard]] Result<std::vector<model::Layer>> listLayers();
  /// The best flag set so far.
  struct BestFlags {
    FlagSet set;
    std::optional<stats::Comparison> comparison;
  };
  /// Measures layers until `end`, a fraction of the budget. Returns the flag sets of their ways
  /// that were not returned before; `which` makes their names unique.
  [[nodiscard]] Result<std::vector<FlagSet>> measureLayers(const std::string& which, double end,
                                                           TuneResult& result);
  /// A comparison of flag sets with the default.
  struct FlagStage {
    std::string name;
    double end = 1;  ///< fraction of the budget
    /// The sets are few and promising: compile them one by one, for most of the stage's time.
    bool promising = false;
  };
  /// Compares the flag sets with the default. Adds the files of scripts to the sets.
  [[nodiscard]] Result<std::vector<engine::Finding>> compareFlags(const FlagStage& stage,
                                                                  std::vector<FlagSet>& sets,
                                                                  TuneResult& result);
  /// Compares the sets with the default and the best set, which is replaced by one that is clearly
  /// faster.
  [[nodiscard]] Result<void> improveFlags(const FlagStage& stage, std::vector<FlagSet> sets,
                                          std::optional<BestFlags>& best, TuneResult& result);
  /// Measures the default, so that the times of the other stages can be planned.
  [[nodiscard]] Result<void> measureDefault(TuneResult& result);
  /// Tries known and estimated ways of the layers. Suggests a budget if this one does not suffice.
  [[nodiscard]] Result<void> tryEstimatedWays(std::optional<BestFlags>& best, TuneResult& result);
  /// Returns the best flag set that computes layers in their ways; nothing if none is faster than
  /// the default. Known and estimated ways come first, because they usually gain most.
  [[nodiscard]] Result<std::optional<BestFlags>> findLayerFlags(TuneResult& result);
  /// Returns the best flag set; nothing if none is faster than the default.
  [[nodiscard]] Result<std::optional<BestFlags>> findFlags(TuneResult& result);
  /// Adds the program without flags, and with the best flag set if it is significantly faster.
  [[nodiscard]] Result<void> findVariants(TuneResult& result);
  /// Returns the fraction of the budget at which the proof of a program with layers begins.
  [[nodiscard]] double proofBegin(bool recompiles) const;
  /// Bounds a variant's use of the budget.
  struct Limit {
    double time = 1;                     ///< fraction of the time budget
    std::optional<std::int64_t> trials;  ///< total of all variants so far
  };
  [[nodiscard]] Limit computeLimit(std::size_t variant, const TuneResult& result) const;
  /// Searches the dispatches of a variant until the limit is reached.
  [[nodiscard]] Result<void> tune(Variant& variant, const Limit& limit, TuneResult& result);
  [[nodiscard]] Result<std::vector<std::unique_ptr<DispatchSearch>>> beginAll(Variant& variant,
                                                                              const Limit& limit);
  /// Drops searches whose baseline failed.
  [[nodiscard]] static Result<void> awaitBaselines(
      Variant& variant, std::vector<std::unique_ptr<DispatchSearch>>& searches);
  [[nodiscard]] Result<std::size_t> awaitFirst(const std::vector<DispatchSearch*>& underWay) const;
  [[nodiscard]] Result<void> searchAll(std::vector<std::unique_ptr<DispatchSearch>>& searches,
                                       const Limit& limit);
  [[nodiscard]] std::size_t trialsLeft(const Limit& limit) const;

  engine::TrialContext bench_;
  iree::Target target_;
  WholeProgram whole_;
  TuneOptions options_;
  std::filesystem::path folder_;
  History history_;
  engine::BudgetClock clock_;
  std::vector<model::Layer> listed_;   ///< all layers of the program
  std::optional<LayerSearch> layers_;  ///< if there are layers to measure
  ProgramCosts costs_;
  /// Budget that suffices for the ways of the layers, if this one did not; an estimate.
  std::optional<std::chrono::minutes> budgetForLayers_;
  std::set<std::string> triedScripts_;  ///< of flag sets with ways of layers
  double flagsEnd_ = 0;     ///< fraction of the budget at which the search of the variants begins
  std::int64_t tried_ = 0;  ///< candidates tried for dispatches, including planned ones
};

}  // namespace hone::tune
