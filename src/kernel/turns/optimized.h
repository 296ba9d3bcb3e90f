#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/propose/proposer.h"
#include "kernel/turns/decide/confirmation.h"
#include "kernel/turns/trials/history.h"
#include "model/result/summary/kernel_result.h"

namespace hone::kernel {

/// The reason for ending the turns.
enum class Stop : std::uint8_t {
  target,
  turns,
  plateau,
  budget,
  noIdeas,
  failures,  ///< all turns are done, and none had a correct candidate
  proposer,  ///< the proposer failed, for example its server
};

[[nodiscard]] std::string_view nameOf(Stop stop);

/// The result of an optimization.
struct Optimized {
  Source original;
  Proposal best;  ///< the original if no candidate was faster
  Stop stop = Stop::turns;
  std::string why;                        ///< explains `stop`
  std::string note;                       ///< reason why no kernel is written; "" if one is
  std::optional<Error> failure;           ///< error of the proposer that ended the turns
  std::optional<Confirmation> confirmed;  ///< nothing if the original stayed the best
  bool timed = true;  ///< false if this machine lacks the device: candidates have estimates only
  std::optional<double> originalOverPyTorch;
  std::size_t candidates = 0;
  std::size_t failed = 0;
  std::vector<TurnRecord> turns;
  std::vector<JudgedProposal> tried;  ///< the original first
  std::string conversation;
  std::string spent;
  double cost = 0;  ///< in dollars

  /// Returns the trial of a source; nullptr if it was not judged.
  [[nodiscard]] const JudgedProposal* find(const std::string& sourceKey) const;
  /// Returns the estimated cost of a kernel that was not timed, relative to the original.
  [[nodiscard]] std::optional<double> estimatedCost(const std::string& sourceKey) const;
  /// Returns true if the best kernel was not timed, but is estimated to be faster than the
  /// original.
  [[nodiscard]] bool isPromising() const;
  /// Returns true if the best kernel is confirmed to be faster than the original.
  [[nodiscard]] bool improved() const;
  /// Returns the speedup for the file name: over PyTorch if it was measured, otherwise over the
  /// original.
  [[nodiscard]] double reportedSpeedup() const;
};

/// Explains the worth of the best kernel if kernels could not be timed.
[[nodiscard]] std::string explainUntimed(const Optimized& optimized);

/// Converts the result to its stored form, without the names of written files.
[[nodiscard]] model::KernelOutcome toKernelOutcome(const Optimized& optimized);

}  // namespace hone::kernel
