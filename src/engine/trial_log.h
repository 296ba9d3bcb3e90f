#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/store.h"

namespace hone::engine {

/// The trials of one run. Everything new is in the store, in one commit, before the next step
/// begins; everything that an earlier process recorded is found by its key and not done again.
class TrialLog {
 public:
  TrialLog(store::Store& store, std::int64_t run) : store_(store), run_(run) {}

  /// Loads the trials and samples that the run has already.
  [[nodiscard]] Result<void> restore();

  /// Returns the trial with this key as this or an earlier process recorded it; nullptr if there is
  /// none.
  [[nodiscard]] const store::Trial* find(const std::string& key) const;
  /// Returns the samples that were recorded before restore(), in the order of the store.
  [[nodiscard]] const std::vector<store::TrialSample>& samples() const { return samples_; }

  /// Records a new trial with its samples and sets its id.
  [[nodiscard]] Result<void> add(store::Trial& trial, std::span<const model::Sample> samples);
  /// Changes the outcome of a recorded trial.
  [[nodiscard]] Result<void> setOutcome(store::Trial& trial, model::Outcome outcome,
                                        std::string message);
  /// Writes the details of a recorded trial anew.
  [[nodiscard]] Result<void> saveDetails(const store::Trial& trial);

  [[nodiscard]] store::Store& store() const { return store_; }
  [[nodiscard]] std::int64_t run() const { return run_; }

 private:
  store::Store& store_;
  std::int64_t run_;
  std::map<std::string, store::Trial> trials_;  ///< by key
  std::vector<store::TrialSample> samples_;
};

}  // namespace hone::engine
