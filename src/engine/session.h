#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/compile_patience.h"
#include "engine/elsewhere.h"
#include "engine/experiment.h"
#include "engine/round_policies.h"
#include "engine/sampler.h"
#include "engine/trial_log.h"
#include "engine/workbench.h"

namespace hone::engine {

/// One execution of a plan: the state that Experiment::run has while it runs.
class Session {
 public:
  /// The plan, and what it points to, must outlive the session; the folder is for scratch files.
  Session(const Workbench& bench, const Plan& plan, const std::filesystem::path& folder);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  /// Takes over what an earlier process recorded of this run.
  [[nodiscard]] Result<void> restore();
  /// The plan's own candidates compiled, verified and screened, or recorded as failed. Elsewhere
  /// they are only begun with: receive() waits for them.
  [[nodiscard]] Result<void> tryPlanned();
  /// The same for the next few that the proposer thinks of, no more than `most`; how many they
  /// were.
  [[nodiscard]] Result<std::size_t> tryProposed(
      std::size_t most = std::numeric_limits<std::size_t>::max());
  /// Waits for what was begun elsewhere, and lets the proposer learn from it.
  [[nodiscard]] Result<void> receive();
  /// What receive() waits for; none where nothing is under way.
  [[nodiscard]] std::vector<std::string> tickets() const;
  /// Both, until there are no more candidates or the budget is used up.
  [[nodiscard]] Result<void> tryAll();
  /// Race and final; elsewhere they are only begun with, receive() waits for them.
  [[nodiscard]] Result<void> finish();
  /// All of the plan in one go in one place, for plans without a proposer.
  [[nodiscard]] Result<void> proveElsewhere();
  [[nodiscard]] Result<std::vector<Finding>> findings() const;
  [[nodiscard]] std::int64_t referenceCpuNs() const;

  /// The baseline's time in screening, and the best there was; 0 before there is one.
  [[nodiscard]] double baselineNs() const { return entries_.front().screenNs; }
  [[nodiscard]] double incumbentNs() const;
  /// How many candidates the store has an outcome of, the baseline among them.
  [[nodiscard]] std::size_t tried() const;

 private:
  struct Entry {
    Candidate candidate;
    std::string key;
    std::int64_t trial = 0;  ///< its id in the store; 0 while it is not there
    iree::Call call;
    std::string content;  ///< hash of the binary
    std::string sameAs;   ///< the key of the entry whose binary is equal
    bool passed = false;  ///< verified, and quick enough in screening
    double screenNs = 0;
    std::optional<stats::Comparison> comparison;
    std::vector<double> roundTimesNs;
  };

  /// Some entries that are under way elsewhere.
  struct Sent {
    std::string ticket;
    std::vector<std::size_t> which;  ///< the baseline first
    Extent extent = Extent::screened;
  };

  /// A name that is the plan's own in its run.
  [[nodiscard]] std::string scoped(std::string_view name) const;
  void add(Candidate candidate);
  /// Leaves the few that are worth a final.
  [[nodiscard]] Result<void> race();
  /// The finalists side by side with the baseline and its twin.
  [[nodiscard]] Result<void> finalRounds();
  void learn();
  [[nodiscard]] Result<void> send(std::vector<std::size_t> which, Extent extent);
  /// In parts, one for each place.
  [[nodiscard]] Result<void> sendScreening(const std::vector<std::size_t>& which);
  [[nodiscard]] Result<void> take(const Sent& sent, PlanAnswer answer);
  /// The entry as screening elsewhere left it; `ratio` makes times there those of here.
  void judge(std::size_t index, store::Trial& trial, double ratio);
  [[nodiscard]] Result<void> takeKilled(const Sent& sent, const std::string& why);
  [[nodiscard]] bool anyAttributes() const;
  /// Those of them that the store does not have, a few at a time.
  [[nodiscard]] Result<void> trySome(std::size_t first, std::size_t count);
  [[nodiscard]] Result<std::vector<iree::Compiled>> compile(std::span<const std::size_t> which,
                                                            iree::CompileRequest::Route route);
  void take(Entry& entry, const iree::Compiled& compiled);
  /// Modules for those that were tried by an earlier process.
  [[nodiscard]] Result<void> findModules(std::span<const std::size_t> which);
  /// Gives those of the final modules of their own, as a user would have them, and checks them.
  [[nodiscard]] Result<void> rebuildFinalists();
  /// Right for all inputs there are.
  [[nodiscard]] Result<Verification> checkFinalist(const iree::Call& call);
  [[nodiscard]] Result<void> settle(std::size_t index, const iree::Compiled& compiled);
  [[nodiscard]] Result<void> screen(Entry& entry, store::Trial& trial);
  /// Whether the time of its screening lets it go on, and what its record says of it.
  void judgeScreening(Entry& entry, store::Trial& trial) const;
  [[nodiscard]] Result<void> addTwin();
  /// A call that failed because there is no device any more says nothing about its candidate: that
  /// is an error of the machine, and nothing of it is stored.
  [[nodiscard]] Result<void> expectDevice(model::Outcome outcome) const;
  [[nodiscard]] Result<void> refuseBadBaseline(model::Outcome outcome,
                                               const std::string& message) const;
  /// Takes the pace of all rounds from the baseline's screening, and records it with the run.
  [[nodiscard]] Result<void> setPace(std::span<const model::Sample> samples);
  [[nodiscard]] const Entry* equalBinary(const Entry& entry) const;
  /// The best so far, for people; "" where nothing is selected.
  [[nodiscard]] std::string bestText() const;
  /// Those worth racing, the quickest first.
  [[nodiscard]] std::vector<std::size_t> passedCandidates() const;
  [[nodiscard]] std::optional<double> timeOf(const Entry& entry) const;
  [[nodiscard]] Participant participant(const Entry& entry) const;
  /// Whether it is measured without warming up.
  [[nodiscard]] bool isCold(const Entry& entry) const;
  void takeFinal(const std::vector<PairedTimes>& result);

  iree::Compiler& compiler_;
  iree::ModuleRunner runner_;
  store::Store& store_;
  Progress& progress_;
  std::int64_t run_;
  Elsewhere* elsewhere_;
  const Plan& plan_;
  Sampler sampler_;
  Verifier verifier_;
  std::optional<Verifier> otherVerifier_;  ///< of the plan's other inputs
  BudgetClock clock_;
  std::optional<Pace> pace_;
  TrialLog log_;
  CompilePatience patience_;
  std::vector<Entry> entries_;  ///< one a candidate
  Entry twin_;                  ///< the baseline once more: its difference is pure noise
  std::vector<std::size_t> finalists_;
  std::vector<Sent> sent_;
  std::size_t unlearned_ = 0;  ///< the first entry that the proposer has not heard of
};

}  // namespace hone::engine
