#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/judge/judged.h"
#include "kernel/judge/task/task.h"
#include "kernel/library/examples.h"
#include "kernel/propose/analysis/analysis.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// A changed kernel that somebody thinks is faster.
struct Proposal {
  Source source;
  std::string title;                    ///< "packing of B, 6x32 register tile"
  std::vector<std::string> techniques;  ///< keys of the library
  std::string reasoning;                ///< for the history
};

/// A proposal that was judged.
struct Tried {
  Proposal proposal;
  Judged judged;
  std::optional<double> speedup;  ///< over the original, where it was timed
  std::size_t turn = 0;
};

/// What a proposer knows at the begin of a turn.
struct TurnView {
  const Task& task;
  const Source& original;
  const Source& best;
  double bestSpeedup = 1;        ///< over the original
  const Analysis& analysis;      ///< of the best
  std::span<const Tried> tried;  ///< all so far, in order
  std::span<const Example> examples;
  std::size_t turn = 0;
  std::size_t count = 4;  ///< how many candidates are wanted
};

/// Where candidates come from. Proposers trust nothing they are told and are trusted in nothing.
class Proposer {
 public:
  virtual ~Proposer() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The candidates of one turn; none: it has no more ideas. An error ends the run (a wrong key);
  /// what only costs a turn is an empty answer with a `complaint`.
  [[nodiscard]] virtual Result<std::vector<Proposal>> propose(const TurnView& view) = 0;
  /// Why the last turn brought nothing, for the history; "" when it did.
  [[nodiscard]] virtual std::string complaint() const { return ""; }
  /// Why there are no more, after a turn that brought none: "every rewrite … was tried", "the
  /// spending cap …"; "" else.
  [[nodiscard]] virtual std::string ended() const { return ""; }
  /// The whole conversation so far, for dspy_history_<name>.txt.
  [[nodiscard]] virtual std::string conversation() const { return ""; }
  /// What it used so far, for people: "3 requests, 12,000 tokens in, 900 out, $0.03"; "" for none.
  [[nodiscard]] virtual std::string spent() const { return ""; }
  /// The same in dollars; 0 where it costs nothing, or nobody knows.
  [[nodiscard]] virtual double cost() const { return 0; }
  /// What it must remember to go on in another process; null where the view tells it all. The loop
  /// keeps it with every turn and hands the last one to recall().
  [[nodiscard]] virtual nlohmann::json memory() const { return nullptr; }
  virtual void recall(const nlohmann::json& /*memory*/) {}
};

}  // namespace hone::kernel
