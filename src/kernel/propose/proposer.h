#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/judge/judge_result.h"
#include "kernel/judge/task/task.h"
#include "kernel/library/examples.h"
#include "kernel/propose/analysis/analysis.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// A candidate: a changed kernel that may be faster.
struct Proposal {
  Source source;
  std::string title;                    ///< "packing of B, 6x32 register tile"
  std::vector<std::string> techniques;  ///< keys of the technique library
  std::string reasoning;                ///< for the history
  std::size_t attempt = 0;              ///< 0: first answer of the turn; N: its Nth repair
};

/// A judged proposal.
struct JudgedProposal {
  Proposal proposal;
  JudgeResult judged;
  std::optional<double> speedup;  ///< over the original; nothing if it was not timed
  std::size_t turn = 0;
};

/// The input of a proposer at the start of a turn.
struct TurnView {
  const Task& task;
  const Source& original;
  const Source& best;
  double bestSpeedup = 1;                 ///< over the original
  const Analysis& analysis;               ///< of the best
  std::span<const JudgedProposal> tried;  ///< all judged proposals so far, in order
  std::span<const Example> examples;
  std::size_t turn = 0;
  std::size_t count = 4;  ///< requested number of candidates
  /// Text of the reference if there is no kernel yet: then `best` only names the entry point, and
  /// the proposer writes a first kernel. "" otherwise.
  std::string_view reference = {};
  /// Time that the proposer may take; nothing if the run has no time budget.
  std::optional<std::chrono::milliseconds> timeLeft = std::nullopt;
};

/// A source of candidates. Proposers treat their input as untrusted, and their output is untrusted.
class Proposer {
 public:
  virtual ~Proposer() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Returns the candidates of one turn; none if there is nothing left to propose. An error, such
  /// as an invalid API key, ends the run. A failure that only costs the turn returns no candidates
  /// and sets `complaint`.
  [[nodiscard]] virtual Result<std::vector<Proposal>> propose(const TurnView& view) = 0;
  /// Returns corrected candidates for the failed ones of this turn, which `failed` lists with their
  /// errors, and for parts of the last answer that could not be read. Returns nullopt if there is
  /// nothing to correct, or if the proposer never corrects.
  [[nodiscard]] virtual Result<std::optional<std::vector<Proposal>>> repair(
      const TurnView& /*view*/, std::span<const JudgedProposal> /*failed*/) {
    return std::nullopt;
  }
  /// Returns why the last answer has no candidates, for the history; "" if it did produce some.
  [[nodiscard]] virtual std::string complaint() const { return ""; }
  /// Returns why no further turn will produce candidates; "" if one may.
  [[nodiscard]] virtual std::string ended() const { return ""; }
  /// Returns the conversation so far, for dspy_history_<name>.txt.
  [[nodiscard]] virtual std::string conversation() const { return ""; }
  /// Returns the resources used so far: "3 requests, 12000 tokens in, 900 out, $0.03"; "" if none.
  [[nodiscard]] virtual std::string spent() const { return ""; }
  /// Returns the cost so far in dollars; 0 if it is free or unknown.
  [[nodiscard]] virtual double cost() const { return 0; }
  /// Returns the state that another process needs to continue; null if TurnView is sufficient. The
  /// optimizer stores it with every turn and passes the last one to restoreMemory().
  [[nodiscard]] virtual nlohmann::json memory() const { return nullptr; }
  virtual void restoreMemory(const nlohmann::json& /*memory*/) {}
};

}  // namespace hone::kernel
