#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "engine/program.h"
#include "engine/rounds.h"
#include "engine/verifier.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "model/result/config.h"
#include "model/result/outcome.h"
#include "stats/compare.h"
#include "store/store.h"

namespace hone::engine {

class Elsewhere;

/// A program with a config.
struct Candidate {
  std::size_t program = 0;  ///< index into the plan's programs
  model::Config config;
};

/// Thinks of more candidates while an experiment runs, from how those before did.
class Proposer {
 public:
  Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;
  Proposer(Proposer&&) = delete;
  Proposer& operator=(Proposer&&) = delete;
  virtual ~Proposer() = default;

  /// At most so many configs of the first program; none: there are no more. The same answers must
  /// lead to the same proposals: that is how an interrupted search goes on.
  [[nodiscard]] virtual Result<std::vector<model::Config>> propose(std::size_t count) = 0;
  /// What the store should keep with its trial.
  [[nodiscard]] virtual model::ProposalNote noteOn(const model::Config& config) const = 0;
  /// How one did, in the order of the proposals: its first time, or nothing where it failed.
  virtual void learn(const model::Config& config, std::optional<double> timeNs) = 0;
};

/// What an experiment is to find out. The first candidate is the baseline. All programs compute
/// the same thing from the same inputs.
struct Plan {
  /// Tells the experiments of one run apart; "" where there is but one.
  std::string scope{};  // NOLINT(readability-redundant-member-init): g++ warns without
  std::vector<Program> programs;
  Inputs inputs;
  /// What the user said of them; whoever makes them elsewhere, with the seed, needs it.
  std::vector<std::string> inputSpecs{};  // NOLINT(readability-redundant-member-init)
  /// Other values: finalists must be right for these, too.
  std::optional<Inputs> otherInputs{};  // NOLINT(readability-redundant-member-init)
  std::vector<Candidate> candidates;
  Proposer* proposer = nullptr;    ///< of more candidates, if any; must outlive the experiment
  std::vector<std::string> flags;  ///< the target's and the user's, for every candidate
  std::uint64_t seed = 1;
  Budget budget;
  bool selects = true;  ///< many candidates: drop the slow, measure equal binaries once
  /// Only gains are of interest: what was not quicker than the baseline in screening has no final.
  bool onlyGains = false;
  std::size_t finalists = 3;
  iree::Memory memory = iree::Memory::kept;  ///< of the calls that are timed
  std::int64_t rounds = 20;  ///< of the final; more, up to three times, while it is ambiguous
  stats::CompareOptions compare;
};

/// What the compiler is asked for a candidate of the plan.
[[nodiscard]] iree::CompileRequest requestFor(const Plan& plan, const Candidate& candidate,
                                              iree::CompileRequest::Route route);

/// What became of one candidate.
struct Finding {
  std::string key;  ///< of its trial
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string artifact;
  std::string sameAs;  ///< the candidate whose binary is equal and was measured for both
  Against against = Against::nothing;
  double timeNs = 0;  ///< median of the last stage it took part in; 0 when never measured
  std::vector<double> roundTimesNs;             ///< of the final, one a round
  std::optional<stats::Comparison> comparison;  ///< with the baseline, for those in the final
};

/// The one that is proven to be quicker than the baseline and never failed, the quickest of those;
/// nullptr where none is.
[[nodiscard]] const Finding* winnerOf(const std::vector<Finding>& findings);

/// Candidates through compile, verify, screen, race and final; every trial and every round is in
/// the store before the next begins, and what the store has already is not done again.
class Experiment {
 public:
  Experiment(iree::Compiler& compiler, const iree::ModuleRunner& runner, store::Store& store,
             Progress& progress, Elsewhere* elsewhere = nullptr)
      : compiler_(compiler),
        runner_(runner),
        store_(store),
        progress_(progress),
        elsewhere_(elsewhere) {}

  /// The findings in the order of the candidates. A baseline that does not compile, run or
  /// compute what the reference says is a user error; anything else that fails is a finding.
  [[nodiscard]] Result<std::vector<Finding>> run(std::int64_t run, const Plan& plan);

  /// CPU time spent on the reference in this process; it is not hone's own.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  iree::Compiler& compiler_;
  const iree::ModuleRunner& runner_;
  store::Store& store_;
  Progress& progress_;
  Elsewhere* elsewhere_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::engine
