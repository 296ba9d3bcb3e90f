#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trial/compile_patience.h"
#include "trial/experiment.h"
#include "trial/sampler.h"
#include "trial/workbench.h"

namespace hone::trial {

/// One execution of a plan: the state that Experiment::run has while it runs.
class Session {
 public:
  /// The plan, and what it points to, must outlive the session; the folder is for scratch files.
  Session(const Workbench& bench, const Plan& plan, const std::filesystem::path& folder);

  /// Takes over what an earlier process recorded of this run.
  [[nodiscard]] Result<void> restore();
  /// The plan's own candidates compiled, verified and screened, or recorded as failed.
  [[nodiscard]] Result<void> tryPlanned();
  /// The same for the next few that the proposer thinks of; how many they were.
  [[nodiscard]] Result<std::size_t> tryProposed();
  /// Both, until there are no more candidates or the budget is used up.
  [[nodiscard]] Result<void> tryAll();
  /// Leaves the few that are worth a final.
  [[nodiscard]] Result<void> race();
  /// The finalists side by side with the baseline and its twin.
  [[nodiscard]] Result<void> finalRounds();
  [[nodiscard]] Result<std::vector<Finding>> findings() const;
  [[nodiscard]] std::int64_t referenceCpuNs() const;

  /// The baseline's time in screening, and the best there was; 0 before there is one.
  [[nodiscard]] double baselineNs() const { return entries_.front().screenNs; }
  [[nodiscard]] double incumbentNs() const;
  [[nodiscard]] std::size_t tried() const { return entries_.size(); }

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

  void add(Candidate candidate);
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
  [[nodiscard]] Result<void> addTwin();
  [[nodiscard]] Result<void> refuseBadBaseline(const store::Trial& trial) const;
  [[nodiscard]] const Entry* equalBinary(const Entry& entry) const;
  /// The best so far, for people; "" where nothing is selected.
  [[nodiscard]] std::string bestText() const;
  /// Those worth racing, the quickest first.
  [[nodiscard]] std::vector<std::size_t> passedCandidates() const;
  [[nodiscard]] std::optional<double> timeOf(const Entry& entry) const;
  [[nodiscard]] Participant participant(const Entry& entry) const;
  void compareFinalists(const std::vector<std::vector<std::optional<double>>>& rounds);
  [[nodiscard]] bool anyAmbiguous() const;

  iree::Compiler& compiler_;
  const iree::Executor& executor_;
  store::Store& store_;
  Progress& progress_;
  std::int64_t run_;
  const Plan& plan_;
  Sampler sampler_;
  Verifier verifier_;
  std::optional<Verifier> otherVerifier_;  ///< of the plan's other inputs
  BudgetClock clock_;
  std::optional<Pace> pace_;
  std::vector<store::TrialSample> recorded_;
  std::map<std::string, store::Trial> known_;  ///< trials of an earlier process, by key
  CompilePatience patience_;
  std::vector<Entry> entries_;  ///< one a candidate
  Entry twin_;                  ///< the baseline once more: its difference is pure noise
  std::vector<std::size_t> finalists_;
};

}  // namespace hone::trial
