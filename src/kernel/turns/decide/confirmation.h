#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "kernel/turns/trials/kernel_trials.h"
#include "stats/compare.h"

namespace hone::kernel {

/// The winner measured against the original and PyTorch in fresh processes.
struct Confirmation {
  stats::Comparison original;                ///< winner against original
  std::optional<stats::Comparison> pytorch;  ///< winner against PyTorch
  double originalNs = 0;
  double bestNs = 0;
  double pytorchNs = 0;
};

/// The arguments of confirmWinner.
struct ConfirmRequest {
  KernelTrials& trials;
  const Entry& original;
  const Entry& winner;
  bool withPyTorch = false;
  std::int64_t rounds = 0;  ///< up to three times as many while the verdict is ambiguous
  const engine::BudgetClock& clock;
  Progress& progress;
};

/// Minimum number of rounds for a verdict.
inline constexpr std::int64_t kMinConfirmRounds = 6;

/// Returns the number of processes in a confirmation round.
[[nodiscard]] std::int64_t processesPerRound(bool withPyTorch);

/// Measures the winner against the original and optionally PyTorch, in interleaved rounds of fresh
/// processes, until the budget is used up. Returns nothing if the winner or the original failed in
/// a round, or if there was no time for a round.
[[nodiscard]] Result<std::optional<Confirmation>> confirmWinner(const ConfirmRequest& request);

/// Returns a sentence that explains why confirmWinner returned nothing.
[[nodiscard]] Result<std::string> explainUnconfirmed(KernelTrials& trials, const Entry& original,
                                                     const Entry& winner);

}  // namespace hone::kernel
