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
  bool targetOverOriginal = false;  ///< without PyTorch, apply the target to the original
  std::size_t maxTurns = 5;
  double minImprovement = 0.05;
  std::size_t candidates = 4;  ///< to request per turn
  std::size_t examples = 3;    ///< shown to the proposer
  engine::Budget budget;
  std::int64_t rounds = 20;  ///< of the confirmation; up to 3 times as many if ambiguous
  double peakGflops = 0;     ///< of this machine with these threads
  double peakGbps = 0;
  int threads = 1;
};

/// The dependencies of an optimizer; they must outlive it.
struct OptimizerContext {
  KernelJudge& kernelJudge;
  Proposer& proposer;
  const Examples* examples = nullptr;  ///< null: no examples
  Progress& progress;
  const Embeddings* embeddings = nullptr;  ///< null: rank examples by words only
};

/// Optimizes a kernel in turns: analysis, examples, proposals, judgement, race. Confirms the winner
/// in fresh processes. Every step is stored before the next one begins, and stored steps are not
/// repeated.
class Optimizer {
 public:
  Optimizer(const OptimizerContext& context, const RunScope& scope, const OptimizeOptions& options);

  /// Returns a user error if the original fails or cannot be timed on this machine.
  [[nodiscard]] Result<Optimized> optimize(const Source& source);

 private:
  struct Best {
    Entry* entry = nullptr;
    double speedup = 1;
    double ns = 0;
  };

  [[nodiscard]] Result<void> begin(const Source& source);
  [[nodiscard]] Result<void> timePyTorch();
  [[nodiscard]] Result<void> runTurns();
  [[nodiscard]] Result<TurnRecord> beginTurn(std::size_t turn);
  [[nodiscard]] Result<void> judgeProposals(TurnRecord& record);
  [[nodiscard]] Result<void> decide(TurnRecord& record);
  void applyTurn(const TurnRecord& record);
  [[nodiscard]] Analysis analyzeBest() const;
  [[nodiscard]] Result<std::vector<Example>> examplesFor(const Analysis& analysis) const;
  [[nodiscard]] std::vector<Entry*> selectRacers(std::size_t turn);
  [[nodiscard]] bool reachedTarget() const;
  [[nodiscard]] bool isBudgetSpent() const;
  /// Saves the turn with the time used so far, so that a resumed run continues with the remaining
  /// budget.
  [[nodiscard]] Result<void> save(TurnRecord& record);
  void setStop(Stop stop, std::string reason);
  /// Returns a stage for the progress display: "turn 2 of 5, judging".
  [[nodiscard]] std::string stageName(std::size_t turn, std::string_view what) const;
  [[nodiscard]] Result<std::optional<Confirmation>> confirm();
  [[nodiscard]] Entry& original() { return trials_.entries().front(); }

  OptimizerContext context_;
  OptimizeOptions options_;
  KernelTrials trials_;
  History history_;
  engine::Rounds races_;
  engine::BudgetClock clock_;
  std::int64_t startNs_;
  std::int64_t usedBeforeMs_ = 0;  ///< time budget used by earlier processes
  Best best_;
  double bestScreenNs_ = 0;
  std::optional<double> originalOverPyTorch_;  ///< the original's speedup over PyTorch
  double pytorchNs_ = 0;
  Stop stop_ = Stop::turns;
  std::string stopReason_;
};

}  // namespace hone::kernel
