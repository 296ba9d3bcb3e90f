#include "engine/trial_log.h"

#include <utility>

namespace hone::engine {

Result<void> TrialLog::restore() {
  trials_.clear();
  for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    trials_.emplace(trial.key, std::move(trial));
  }
  samples_ = HONE_TRY(store_.samples(run_));
  return {};
}

const store::Trial* TrialLog::find(const std::string& key) const {
  const auto found = trials_.find(key);
  return found == trials_.end() ? nullptr : &found->second;
}

Result<void> TrialLog::add(store::Trial& trial, std::span<const model::Sample> samples) {
  trial.id = HONE_TRY(store_.addTrial(run_, trial, samples));
  trials_.insert_or_assign(trial.key, trial);
  return {};
}

Result<void> TrialLog::setOutcome(store::Trial& trial, model::Outcome outcome,
                                  std::string message) {
  trial.outcome = outcome;
  trial.message = std::move(message);
  HONE_CHECK(store_.setOutcome(trial.id, trial.outcome, trial.message));
  trials_.insert_or_assign(trial.key, trial);
  return {};
}

Result<void> TrialLog::saveDetails(const store::Trial& trial) {
  HONE_CHECK(store_.setTrialDetails(trial.id, trial.details));
  trials_.insert_or_assign(trial.key, trial);
  return {};
}

}  // namespace hone::engine
