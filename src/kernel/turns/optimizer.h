#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "kernel/judge/kernel_judge.h"
#include "kernel/library/embeddings.h"
#include "kernel/library/examples.h"
#include "kernel/propose/proposer.h"
#include "kernel/turns/decide/turn_race.h"
#include "kernel/turns/optimized.h"
#include "kernel/turns/trials/history.h"
#include "kernel/turns/trials/kernel_trials.h"

namespace hone::kernel {

struct OptimizeOptions {
  double targetSpeedup = 1.5;       ///< over PyTorch
  bool targetOverOriginal = false;  ///< without PyTorch, apply the target to the original
  std::size_t maxTurns = 5;
  double minImprovement = 0.05;
  std::size_t candidates = 4;  ///< to request per turn
  std::size_t examples = 3;    ///< shown to the proposer
  std::size_t repairs = 2;     ///< requests per turn to correct failed candidates
  engine::Budget budget;
  std::int64_t rounds = 20;  ///< of the confirmation; up to 3 times as many if ambiguous
  Measured machine;          ///< its roofline; no times
  std::function<std::int64_t()> now = nowNs;  ///< clock of the budget; tests inject it
};

/// The dependencies of an optimizer; they must outlive it.
struct OptimizerContext {
  KernelJudge& kernelJudge;
  Proposer& proposer;
  const Examples* examples = nullptr;  ///< null: no examples
  Progress& progress;
  const Embeddings* embeddings = nullptr;  ///< null: rank examples by words only
};

/// Optimizes a kernel in turns: analysis, examples, proposals, judgement, repairs, race. Confirms
/// the winner in fresh processes. Every step is stored before the next one begins, and stored steps
/// are not repeated.
class Optimizer {
 public:
  Optimizer(const OptimizerContext& context, const RunScope& scope, OptimizeOptions options);

  /// Returns a user error if the original fails. Returns the error of the proposer if it fails
  /// before a candidate is faster. If it fails later, confirms the best kernel so far and stores
  /// the error in `Optimized::failure`.
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
  /// Returns true if the turns have ended, and sets the reason.
  [[nodiscard]] bool hasStopped(std::size_t turn);
  [[nodiscard]] Result<TurnRecord> beginTurn(std::size_t turn);
  [[nodiscard]] Result<void> judgeProposals(TurnRecord& record);
  /// Sends failed candidates back to the proposer and judges the corrected ones.
  [[nodiscard]] Result<void> repairProposals(TurnRecord& record);
  /// Returns the failed candidates of the turn's last answer that had any.
  [[nodiscard]] std::vector<JudgedProposal> failuresToRepair(const TurnRecord& record);
  /// Returns true if a candidate of the turn is correct.
  [[nodiscard]] bool hasCorrectCandidate(const TurnRecord& record);
  [[nodiscard]] Result<void> decide(TurnRecord& record);
  /// Races the candidates of the turn and records the winner.
  [[nodiscard]] Result<void> decideByRace(TurnRecord& record);
  void applyTurn(const TurnRecord& record);
  /// The data that a TurnView refers to.
  struct TurnInput {
    Analysis analysis;
    std::vector<Example> examples;
    std::vector<JudgedProposal> tried;
  };
  [[nodiscard]] Result<TurnInput> turnInput();
  [[nodiscard]] TurnView makeView(const TurnInput& input, std::size_t turn);
  /// Copies the state of the proposer after a request.
  void noteProposer(TurnRecord& record);
  [[nodiscard]] Analysis analyzeBest() const;
  [[nodiscard]] Result<std::vector<Example>> examplesFor(const Analysis& analysis) const;
  [[nodiscard]] bool reachedTarget() const;
  [[nodiscard]] bool isBudgetSpent() const;
  /// Returns true if the remaining time is needed for the confirmation.
  [[nodiscard]] bool mustConfirm() const;
  /// Returns the time that the turns may still take; nothing without a time budget.
  [[nodiscard]] std::optional<std::chrono::milliseconds> timeForTurns() const;
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
  engine::BudgetClock clock_;  ///< includes the time of earlier processes of the run
  Best best_;
  double bestScreenNs_ = 0;
  bool timed_ = true;                          ///< false if the device is missing
  std::optional<double> originalOverPyTorch_;  ///< the original's speedup over PyTorch
  double pytorchNs_ = 0;
  int turnsWithoutGain_ = 0;  ///< in a row; turns without a correct candidate do not count
  std::size_t failedTurns_ = 0;
  std::string lastFailure_;       ///< of the last turn without a correct candidate
  std::optional<Error> failure_;  ///< of the proposer
  bool skippedRace_ = false;      ///< no time was left to compare candidates
  Stop stop_ = Stop::turns;
  std::string stopReason_;
};

}  // namespace hone::kernel
