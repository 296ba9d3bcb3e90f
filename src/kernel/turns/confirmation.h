#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "kernel/turns/kernel_trials.h"
#include "stats/compare.h"

namespace hone::kernel {

/// The times of the winner in fresh processes beside the original and PyTorch.
struct Confirmation {
  stats::Comparison original;                ///< winner against original
  std::optional<stats::Comparison> pytorch;  ///< winner against PyTorch
  double originalNs = 0;
  double bestNs = 0;
  double pytorchNs = 0;
};

/// A winner to be confirmed beside the original.
struct ConfirmRequest {
  KernelTrials& trials;
  const Entry& original;
  const Entry& winner;
  bool withPyTorch = false;
  std::int64_t rounds = 0;  ///< up to three times as many while the verdict is open
  const engine::BudgetClock& clock;
  Progress& progress;
};

/// Measures the winner in fresh processes beside the original and, if wanted, PyTorch. Returns
/// nothing if the winner or the original failed meanwhile.
[[nodiscard]] Result<std::optional<Confirmation>> confirmWinner(const ConfirmRequest& request);

/// Returns a sentence on what failed in the rounds of a confirmation that returned nothing.
[[nodiscard]] Result<std::string> explainUnconfirmed(KernelTrials& trials, const Entry& original,
                                                     const Entry& winner);

}  // namespace hone::kernel
