#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trial/experiment.h"
#include "trial/sampler.h"

namespace hone::trial {

/// One execution of a plan: the state that Experiment::run has while it runs.
class Session {
 public:
  Session(iree::Compiler& compiler, const iree::Executor& executor, store::Store& store,
          Progress& progress, std::int64_t run, const Plan& plan, std::filesystem::path folder);

  /// Takes over what an earlier process recorded of this run.
  [[nodiscard]] Result<void> restore();
  /// Every candidate compiled, verified and screened, or recorded as failed.
  [[nodiscard]] Result<void> tryAll();
  /// Leaves the few that are worth a final.
  [[nodiscard]] Result<void> race();
  /// The finalists side by side with the baseline and its twin.
  [[nodiscard]] Result<void> finalRounds();
  [[nodiscard]] Result<std::vector<Finding>> findings() const;
  [[nodiscard]] std::int64_t referenceCpuNs() const { return verifier_.referenceCpuNs(); }

 private:
  struct Entry {
    std::string key;
    std::string name;
    std::int64_t trial = 0;  ///< its id in the store; 0 while it is not there
    iree::Call call;
    std::string content;  ///< hash of the binary
    std::string sameAs;   ///< the key of the entry whose binary is equal
    bool passed = false;  ///< verified, and quick enough in screening
    double screenNs = 0;
    std::optional<stats::Comparison> comparison;
    std::vector<double> roundTimesNs;
  };

  [[nodiscard]] bool anyAttributes() const;
  [[nodiscard]] Result<void> compileSome(std::span<const std::size_t> which);
  /// Gives those of the final modules of their own, as a user would have them, and checks them.
  [[nodiscard]] Result<void> rebuildFinalists();
  [[nodiscard]] Result<void> settle(std::size_t index, const iree::Compiled& compiled);
  [[nodiscard]] Result<void> screen(Entry& entry, store::Trial& trial);
  [[nodiscard]] Result<void> addTwin();
  [[nodiscard]] Result<void> refuseBadBaseline(const store::Trial& trial) const;
  [[nodiscard]] const Entry* equalBinary(const Entry& entry) const;
  [[nodiscard]] double incumbentNs() const;
  [[nodiscard]] std::vector<std::size_t> passedCandidates() const;
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
  BudgetClock clock_;
  std::optional<Pace> pace_;
  std::vector<store::TrialSample> recorded_;
  std::vector<Entry> entries_;  ///< one a candidate
  Entry twin_;                  ///< the baseline once more: its difference is pure noise
  std::vector<std::size_t> finalists_;
};

}  // namespace hone::trial
