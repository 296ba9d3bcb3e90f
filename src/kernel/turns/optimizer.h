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
#include "kernel/judge/referee.h"
#include "kernel/library/embeddings.h"
#include "kernel/library/examples.h"
#include "kernel/propose/proposer.h"
#include "kernel/turns/history.h"
#include "kernel/turns/kernel_trials.h"
#include "model/result/kernel_result.h"
#include "stats/compare.h"

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

/// Why there is no further turn.
enum class Stop : std::uint8_t { target, turns, plateau, budget, noIdeas };

[[nodiscard]] std::string_view nameOf(Stop stop);

/// What the winner showed in fresh processes beside the original and PyTorch.
struct Confirmation {
  stats::Comparison original;                ///< winner against original
  std::optional<stats::Comparison> pytorch;  ///< winner against PyTorch
  double originalNs = 0;
  double bestNs = 0;
  double pytorchNs = 0;
};

struct Optimized {
  Source original;
  Proposal best;  ///< the original where nothing was quicker
  Stop stop = Stop::turns;
  std::string why;                        ///< a sentence on the stop
  std::string note;                       ///< why nothing is to be written; "" when something is
  std::optional<Confirmation> confirmed;  ///< nothing where the original stayed the best
  std::optional<double> originalOverPyTorch;
  std::size_t candidates = 0;
  std::size_t failed = 0;
  std::vector<TurnRecord> turns;
  std::vector<Tried> tried;  ///< the original first
  std::string conversation;
  std::string spent;
  double cost = 0;  ///< in dollars

  /// What became of a source; nullptr where it was not judged.
  [[nodiscard]] const Tried* find(const std::string& sourceKey) const;
  /// Proven quicker than the original.
  [[nodiscard]] bool improved() const;
  /// The figure in the name of its file: over PyTorch where there is one, else over the original.
  [[nodiscard]] double headline() const;
};

/// As the store keeps it, without the files that were written.
[[nodiscard]] model::KernelOutcome outcomeOf(const Optimized& optimized);

/// What an optimizer works with; all of it must outlive the optimizer.
struct Workshop {
  Referee& referee;
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
  Optimizer(const Workshop& workshop, const RunScope& scope, const OptimizeOptions& options);

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
  /// Who failed in the rounds of the confirmation, and with what.
  [[nodiscard]] Result<std::string> whyUnconfirmed();
  [[nodiscard]] Entry& original() { return trials_.entries().front(); }

  Workshop workshop_;
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
