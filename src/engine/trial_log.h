#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/store.h"

namespace hone::engine {

/// The trials of one run. Stores new data in one commit before the next step starts. Trials
/// recorded by an earlier process are found by their key and not repeated.
class TrialLog {
 public:
  TrialLog(store::Store& store, std::int64_t run) : store_(store), run_(run) {}

  /// Loads the recorded trials and samples of the run.
  [[nodiscard]] Result<void> restore();

  /// Returns the recorded trial with this key, or nullptr if there is none. Valid until the next
  /// trial is added.
  [[nodiscard]] const store::Trial* find(const std::string& key) const;
  [[nodiscard]] const store::Trial* find(std::int64_t id) const;
  /// Returns all trials in the order in which they were recorded.
  [[nodiscard]] const std::vector<store::Trial>& trials() const { return trials_; }
  /// Returns the samples of a trial that this process took or restored.
  [[nodiscard]] std::span<const model::Sample> samples(std::int64_t trial) const;

  /// Records a new trial with its samples and sets its id.
  [[nodiscard]] Result<void> add(store::Trial& trial, std::span<const model::Sample> samples);
  /// Records samples of existing trials.
  [[nodiscard]] Result<void> addSamples(std::span<const store::TrialSample> samples);
  /// Records or replaces trials of another process; returns their ids. Stores their samples, but
  /// samples() returns them only after the next restore().
  [[nodiscard]] Result<std::vector<std::int64_t>> merge(
      std::span<const store::TrialRecord> records);
  /// Changes the outcome of a recorded trial.
  [[nodiscard]] Result<void> setOutcome(std::int64_t trial, model::Outcome outcome,
                                        std::string message);
  /// Replaces the details of a recorded trial.
  [[nodiscard]] Result<void> saveDetails(const store::Trial& trial);

  [[nodiscard]] store::Store& store() const { return store_; }
  [[nodiscard]] std::int64_t run() const { return run_; }

 private:
  void keep(store::Trial trial);

  store::Store& store_;
  std::int64_t run_;
  std::vector<store::Trial> trials_;
  std::map<std::string, std::size_t> byKey_;  ///< indices of trials_
  std::map<std::int64_t, std::size_t> byId_;
  std::map<std::int64_t, std::vector<model::Sample>> samples_;  ///< by trial
};

}  // namespace hone::engine
