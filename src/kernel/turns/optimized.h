#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/proposer.h"
#include "kernel/turns/confirmation.h"
#include "kernel/turns/history.h"
#include "model/result/summary/kernel_result.h"

namespace hone::kernel {

/// Why there is no further turn.
enum class Stop : std::uint8_t { target, turns, plateau, budget, noIdeas };

[[nodiscard]] std::string_view nameOf(Stop stop);

/// The result of an optimization.
struct Optimized {
  Source original;
  Proposal best;  ///< the original if no candidate was faster
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

  /// Returns the trial of a source; nullptr if it was not judged.
  [[nodiscard]] const Tried* find(const std::string& sourceKey) const;
  /// Returns true if the best is proven to be faster than the original.
  [[nodiscard]] bool improved() const;
  /// The figure in the name of its file: over PyTorch where there is one, else over the original.
  [[nodiscard]] double headline() const;
};

/// As the store keeps it, without the files that were written.
[[nodiscard]] model::KernelOutcome outcomeOf(const Optimized& optimized);

}  // namespace hone::kernel
