#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "kernel/judge/kernel_judge.h"
#include "kernel/library/embeddings.h"
#include "kernel/library/examples.h"
#include "kernel/propose/proposer.h"
#include "kernel/turns/history.h"
#include "kernel/turns/kernel_trials.h"
#include "kernel/turns/optimized.h"

namespace hone::kernel {

struct OptimizeOptions {
  double targetSpeedup = 1.5;       ///< over PyTorch
  bool targetOverOriginal = false;  ///< without PyTorch it is over the original; else there is none
  std::size_t maxTurns = 5;
  double minImprovement = 0.05;
  std::size_t candidates = 4;  ///< wanted a turn
  std::size_t examples = 3;    ///< shown to the proposer
  engine::Budget budget;
  std::int64_t rounds = 20;  ///< of the confirmation; up to three times as many while it is open
  double peakGflops = 0;     ///< of this machine with these threads
  double peakGbps = 0;
  int threads = 1;
};

/// What an optimizer works with; all of it must outlive the optimizer.
struct OptimizerContext {
  KernelJudge& kernelJudge;
  Proposer& proposer;
  const Examples* examples = nullptr;  ///< null: without
  Progress& progress;
  const Embeddings* embeddings = nullptr;  ///< null: examples are ranked by their words alone
};

/// Turn by turn: analysis, examples, proposals, judgement, a race of the best; then the winner once
/// more in fresh processes. Everything is in the store before the next step begins, and what the
/// store has is not done again.
class Optimizer {
 public:
  Optimizer(const OptimizerContext& context, const RunScope& scope, const OptimizeOptions& options);

  /// A kernel that is wrong from the start, or that cannot be timed here, is a user error.
  [[nodiscard]] Result<Optimized> optimize(const Source& source);

 private:
  struct Best {
    Entry* entry = nullptr;
    double speedup = 1;
    double ns = 0;
  };

  [[nodiscard]] Result<void> begin(const Source& source);
  [[nodiscard]] Result<void> meetPyTorch();
  [[nodiscard]] Result<void> takeTurns();
  [[nodiscard]] Result<TurnRecord> beginTurn(std::size_t turn);
  [[nodiscard]] Result<void> judgeProposals(TurnRecord& record);
  [[nodiscard]] Result<void> decide(TurnRecord& record);
  void recall(const TurnRecord& record);
  [[nodiscard]] Analysis analyseBest() const;
  [[nodiscard]] Result<std::vector<Example>> examplesFor(const Analysis& analysis) const;
  [[nodiscard]] std::vector<Entry*> passed(std::size_t turn);
  [[nodiscard]] bool reachedTarget() const;
  [[nodiscard]] bool usedUp() const;
  /// Notes the time used so far with the turn, and saves it: an interrupted run goes on with what
  /// is left of its budget.
  [[nodiscard]] Result<void> save(TurnRecord& record);
  void stopFor(Stop stop, std::string why);
  /// "turn 2 of 5, judging".
  [[nodiscard]] std::string stageOf(std::size_t turn, std::string_view what) const;
  [[nodiscard]] Result<std::optional<Confirmation>> confirm();
  [[nodiscard]] Entry& original() { return trials_.entries().front(); }

  OptimizerContext context_;
  OptimizeOptions options_;
  KernelTrials trials_;
  History history_;
  engine::Rounds races_;
  engine::BudgetClock clock_;
  std::int64_t startNs_;
  std::int64_t usedBeforeMs_ = 0;  ///< of the time budget, by earlier processes
  Best best_;
  double quickestScreenNs_ = 0;
  std::optional<double> originalOverPyTorch_;  ///< the original's speedup over PyTorch
  double pytorchNs_ = 0;
  Stop stop_ = Stop::turns;
  std::string why_;
};

}  // namespace hone::kernel
