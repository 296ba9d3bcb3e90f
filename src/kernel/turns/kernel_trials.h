#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/rounds/rounds.h"
#include "engine/trial_log.h"
#include "iree/run/device.h"
#include "kernel/judge/kernel_judge.h"
#include "kernel/propose/proposer.h"
#include "store/store.h"

namespace hone::kernel {

/// The run that all is recorded under, and which of its kernels this is.
struct RunScope {
  store::Store& store;
  std::int64_t run = 0;
  std::string kernel;  ///< before the keys of its trials; "" where the run has but one
  iree::RankBy rankBy = iree::RankBy::cpu;
  std::uint64_t seed = 1;
};

/// A kernel that was judged, as the store has it.
struct Entry {
  Tried tried;
  std::int64_t trial = 0;  ///< its id
  double screenNs = 0;     ///< 0 where it was not timed

  [[nodiscard]] const Source& source() const { return tried.proposal.source; }
};

/// The trials of one kernel in a run. What is new is judged and recorded in one commit; what the
/// store has is given back as it was, so that an interrupted run judges nothing twice.
class KernelTrials {
 public:
  KernelTrials(KernelJudge& kernelJudge, RunScope scope)
      : kernelJudge_(kernelJudge), scope_(std::move(scope)), log_(scope_.store, scope_.run) {}

  /// Loads what an earlier process recorded.
  [[nodiscard]] Result<void> restore();

  /// Judges a proposal, or returns what was judged before; turn 0 is the original. A kernel that
  /// screening eliminates beside `bestNs` (0: no limit) is recorded as too slow. The entry stays
  /// where it is.
  [[nodiscard]] Result<Entry*> judge(const Proposal& proposal, std::size_t turn, double bestNs);
  /// A trial that is only measured beside others: the original once more, PyTorch.
  [[nodiscard]] Result<std::int64_t> companion(const std::string& name);

  /// The entry of a source that was judged; nullptr where it was not.
  [[nodiscard]] Entry* find(const std::string& sourceKey);
  /// In the order of judging, the original first.
  [[nodiscard]] std::deque<Entry>& entries() { return entries_; }
  /// How many candidates, the original left out, this and earlier processes judged.
  [[nodiscard]] std::size_t candidates() const {
    return entries_.empty() ? 0 : entries_.size() - 1;
  }

  /// In rounds: the source in a fresh process each time; none: PyTorch's reference.
  [[nodiscard]] engine::Participant participant(std::int64_t trial,
                                                const std::optional<Source>& source) const;
  /// Takes over the outcomes that rounds have changed.
  void refresh();
  /// Returns why a trial failed, companions included; "" if it did not.
  [[nodiscard]] std::string failureOf(std::int64_t trial) const;
  /// Returns the log for rounds of these trials.
  [[nodiscard]] engine::TrialLog& log() { return log_; }
  [[nodiscard]] const RunScope& scope() const { return scope_; }
  [[nodiscard]] KernelJudge& kernelJudge() const { return kernelJudge_; }

 private:
  [[nodiscard]] std::string scoped(const std::string& key) const;
  [[nodiscard]] std::vector<model::Sample> screeningOf(std::int64_t trial) const;
  [[nodiscard]] Entry& add(Tried tried, std::int64_t trial);

  KernelJudge& kernelJudge_;
  RunScope scope_;
  engine::TrialLog log_;
  std::deque<Entry> entries_;  ///< a deque: entries are pointed to
};

}  // namespace hone::kernel
