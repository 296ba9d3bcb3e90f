#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "engine/rounds/rounds.h"
#include "engine/trial_log.h"
#include "iree/run/device.h"
#include "kernel/judge/kernel_judge.h"
#include "kernel/propose/proposer.h"
#include "store/store.h"

namespace hone::kernel {

/// Identifies a kernel within the run that its trials are recorded under.
struct RunScope {
  store::Store& store;
  std::int64_t run = 0;
  std::string kernel;  ///< prefix of its trial keys; "" if the run has only one kernel
  iree::RankBy rankBy = iree::RankBy::cpu;
  std::uint64_t seed = 1;
};

/// A judged kernel with its trial in the store.
struct Entry {
  JudgedProposal tried;
  std::int64_t trial = 0;  ///< trial id
  double screenNs = 0;     ///< 0 if it was not timed

  [[nodiscard]] const Source& source() const { return tried.proposal.source; }
};

/// The trials of one kernel in a run. Judges and records new proposals in one commit each, and
/// returns recorded ones from the store, so a resumed run judges nothing twice.
class KernelTrials {
 public:
  KernelTrials(KernelJudge& kernelJudge, RunScope scope)
      : kernelJudge_(kernelJudge), scope_(std::move(scope)), log_(scope_.store, scope_.run) {}

  /// Loads the trials recorded by earlier processes.
  [[nodiscard]] Result<void> restore();

  /// Judges a proposal, or returns its existing entry. Turn 0 is the original. A kernel that is too
  /// slow compared with `bestNs` (0: no limit) is recorded as too slow. The pointer stays valid.
  [[nodiscard]] Result<Entry*> judge(const Proposal& proposal, std::size_t turn, double bestNs);
  /// Returns the trial of a companion, which is only measured for comparison: the second run of the
  /// original, or PyTorch. Adds the trial if it does not exist.
  [[nodiscard]] Result<std::int64_t> findOrAddCompanion(const std::string& name);

  /// Returns the entry of a source; nullptr if it was not judged.
  [[nodiscard]] Entry* find(const std::string& sourceKey);
  /// Returns the entries in the order they were judged, the original first.
  [[nodiscard]] std::deque<Entry>& entries() { return entries_; }
  /// Returns the number of judged candidates in all processes of the run, without the original.
  [[nodiscard]] std::size_t candidates() const {
    return entries_.empty() ? 0 : entries_.size() - 1;
  }

  /// Returns a participant for rounds that runs the source in a fresh process each time, or
  /// PyTorch's reference if there is no source.
  [[nodiscard]] engine::Participant participant(std::int64_t trial,
                                                const std::optional<Source>& source);
  /// Returns the number of recorded rounds of a trial from round `first` on, without gaps.
  [[nodiscard]] std::int64_t recordedRounds(std::int64_t trial, model::Stage stage,
                                            std::int64_t first) const;
  /// Returns the longest time that a participant took in a round so far.
  [[nodiscard]] std::chrono::nanoseconds longestMeasurement() const { return longestMeasurement_; }
  /// Returns the longest time that judging a source took so far.
  [[nodiscard]] std::chrono::nanoseconds longestJudgement() const { return longestJudgement_; }
  /// Replaces the clock of these times; for tests.
  void setClock(std::function<std::int64_t()> now) { now_ = std::move(now); }
  /// Updates the entries with outcomes that rounds have changed.
  void refresh();
  /// Returns why a trial or companion failed; "" if it did not.
  [[nodiscard]] std::string describeFailure(std::int64_t trial) const;
  /// Returns the log for rounds of these trials.
  [[nodiscard]] engine::TrialLog& log() { return log_; }
  [[nodiscard]] const RunScope& scope() const { return scope_; }
  [[nodiscard]] KernelJudge& kernelJudge() const { return kernelJudge_; }

 private:
  [[nodiscard]] std::string scopedKey(const std::string& key) const;
  [[nodiscard]] std::vector<model::Sample> screeningSamples(std::int64_t trial) const;
  [[nodiscard]] Entry& add(JudgedProposal tried, std::int64_t trial);

  KernelJudge& kernelJudge_;
  RunScope scope_;
  engine::TrialLog log_;
  std::deque<Entry> entries_;  ///< a deque, so that pointers to entries stay valid
  std::function<std::int64_t()> now_ = nowNs;
  std::chrono::nanoseconds longestMeasurement_{0};
  std::chrono::nanoseconds longestJudgement_{0};
};

}  // namespace hone::kernel
