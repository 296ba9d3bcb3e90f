#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/budget.h"
#include "engine/program/inputs.h"
#include "engine/program/program.h"
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

/// Proposes more candidates during a plan, based on the times of earlier ones.
class Proposer {
 public:
  Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;
  Proposer(Proposer&&) = delete;
  Proposer& operator=(Proposer&&) = delete;
  virtual ~Proposer() = default;

  /// Returns at most `count` configs of the first program, or none if there are no more. Must be
  /// deterministic in the feedback, so that an interrupted search can continue.
  [[nodiscard]] virtual Result<std::vector<model::Config>> propose(std::size_t count) = 0;
  /// Returns the note to store with the trial of the config.
  [[nodiscard]] virtual model::ProposalNote noteOn(const model::Config& config) const = 0;
  /// Receives feedback in the order of the proposals: the screening time, or nullopt for a failure.
  virtual void learn(const model::Config& config, std::optional<double> timeNs) = 0;
};

/// Description of an experiment. The first candidate is the baseline. All programs compute the same
/// results from the same inputs.
struct Plan {
  /// Distinguishes the experiments of one run; empty if there is only one.
  std::string scope{};
  std::vector<Program> programs;
  Inputs inputs;
  /// The user's input specs. With the seed, another process generates the same inputs.
  std::vector<std::string> inputSpecs{};
  /// Other input values, for which finalists must be correct, too.
  std::optional<Inputs> otherInputs{};
  std::vector<Candidate> candidates;
  Proposer* proposer = nullptr;    ///< optional; must outlive the experiment
  std::vector<std::string> flags;  ///< target and user flags for every candidate
  std::uint64_t seed = 1;
  Budget budget;
  bool selects = true;  ///< eliminate slow candidates, and measure equal binaries once
  /// Skip the final of candidates that are not faster than the baseline in screening.
  bool onlyGains = false;
  std::size_t finalists = 3;
  /// Fraction of the time budget after which no new candidate is tried; the rest is for the race
  /// and the final.
  double screeningShare = 0.6;
  /// Candidates compiled before the first of them is measured: one search step and the baseline.
  /// Fewer if compiling takes long, since the budget is checked between batches.
  std::size_t batch = 17;
  iree::Memory memory = iree::Memory::kept;  ///< memory mode of timed calls
  /// Also measure the program's model with ONNX Runtime in the final, see
  /// Experiment::alternative().
  bool alternative = false;
  std::int64_t rounds = 20;  ///< rounds of the final; up to three times as many while ambiguous
  stats::CompareOptions compare;
};

/// Returns the compile route for many candidates of the plan.
[[nodiscard]] iree::CompileRequest::Route routeFor(const Plan& plan);
/// Returns the compile request for a candidate of the plan.
[[nodiscard]] iree::CompileRequest requestFor(const Plan& plan, const Candidate& candidate,
                                              iree::CompileRequest::Route route);

}  // namespace hone::engine
