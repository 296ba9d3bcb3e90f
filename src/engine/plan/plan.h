#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/budget.h"
#include "engine/program.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "model/result/config.h"
#include "model/result/trial_details.h"
#include "stats/compare.h"

namespace hone::engine {

/// A program with a config.
struct Candidate {
  std::size_t program = 0;  ///< index into the plan's programs
  model::Config config;
};

/// Proposes further candidates while a plan is carried out, from the times of those before.
class Proposer {
 public:
  Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;
  Proposer(Proposer&&) = delete;
  Proposer& operator=(Proposer&&) = delete;
  virtual ~Proposer() = default;

  /// Returns at most `count` configs of the first program; none: there are no more. The same
  /// feedback must lead to the same proposals: that is how an interrupted search continues.
  [[nodiscard]] virtual Result<std::vector<model::Config>> propose(std::size_t count) = 0;
  /// Returns the note that the store keeps with the config's trial.
  [[nodiscard]] virtual model::ProposalNote noteOn(const model::Config& config) const = 0;
  /// Takes feedback in the order of the proposals: the time in screening, or nothing for a failure.
  virtual void learn(const model::Config& config, std::optional<double> timeNs) = 0;
};

/// An experiment to carry out. The first candidate is the baseline. All programs compute the same
/// results from the same inputs.
struct Plan {
  /// Distinguishes the experiments of one run; "" if there is only one.
  std::string scope{};  // NOLINT(readability-redundant-member-init): g++ warns without
  std::vector<Program> programs;
  Inputs inputs;
  /// The user's descriptions of the inputs: with the seed, another process makes the same ones.
  std::vector<std::string> inputSpecs{};  // NOLINT(readability-redundant-member-init)
  /// Other values: finalists must be right for these, too.
  std::optional<Inputs> otherInputs{};  // NOLINT(readability-redundant-member-init)
  std::vector<Candidate> candidates;
  Proposer* proposer = nullptr;    ///< of more candidates, if any; must outlive the experiment
  std::vector<std::string> flags;  ///< the target's and the user's, for every candidate
  std::uint64_t seed = 1;
  Budget budget;
  bool selects = true;  ///< many candidates: eliminate the slow, measure equal binaries once
  /// Only gains are of interest: a candidate that screening shows no faster than the baseline has
  /// no final.
  bool onlyGains = false;
  std::size_t finalists = 3;
  iree::Memory memory = iree::Memory::kept;  ///< of the calls that are timed
  std::int64_t rounds = 20;  ///< of the final; more, up to three times, while it is ambiguous
  stats::CompareOptions compare;
};

/// Returns the route by which many candidates of the plan are compiled.
[[nodiscard]] iree::CompileRequest::Route routeFor(const Plan& plan);
/// Returns the compiler's request for a candidate of the plan.
[[nodiscard]] iree::CompileRequest requestFor(const Plan& plan, const Candidate& candidate,
                                              iree::CompileRequest::Route route);

}  // namespace hone::engine
