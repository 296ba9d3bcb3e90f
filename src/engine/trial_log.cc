#include "engine/trial_log.h"

#include <utility>

namespace hone::engine {

void TrialLog::keep(store::Trial trial) {
  const auto [at, added] = byKey_.try_emplace(trial.key, trials_.size());
  byId_[trial.id] = at->second;
  if (added) {
    trials_.push_back(std::move(trial));
  } else {
    trials_[at->second] = std::move(trial);
  }
}

Result<void> TrialLog::restore() {
  trials_.clear();
  byKey_.clear();
  byId_.clear();
  for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    keep(std::move(trial));
  }
  samples_.clear();
  for (const store::TrialSample& one : HONE_TRY(store_.samples(run_))) {
    samples_[one.trial].push_back(one.sample);
  }
  return {};
}

const store::Trial* TrialLog::find(const std::string& key) const {
  const auto found = byKey_.find(key);
  return found == byKey_.end() ? nullptr : &trials_[found->second];
}

const store::Trial* TrialLog::find(std::int64_t id) const {
  const auto found = byId_.find(id);
  return found == byId_.end() ? nullptr : &trials_[found->second];
}

std::span<const model::Sample> TrialLog::samples(std::int64_t trial) const {
  const auto found = samples_.find(trial);
  return found == samples_.end() ? std::span<const model::Sample>() : std::span(found->second);
}

Result<void> TrialLog::add(store::Trial& trial, std::span<const model::Sample> samples) {
  trial.id = HONE_TRY(store_.addTrial(run_, trial, samples));
  trial.run = run_;
  keep(trial);
  samples_[trial.id].assign(samples.begin(), samples.end());
  return {};
}

Result<void> TrialLog::addSamples(std::span<const store::TrialSample> samples) {
  HONE_CHECK(store_.addSamples(samples));
  for (const store::TrialSample& one : samples) {
    samples_[one.trial].push_back(one.sample);
  }
  return {};
}

Result<std::vector<std::int64_t>> TrialLog::merge(std::span<const store::TrialRecord> records) {
  auto ids = HONE_TRY(store_.merge(run_, records));
  for (std::size_t i = 0; i < records.size(); ++i) {
    store::Trial trial = records[i].trial;
    trial.id = ids[i];
    trial.run = run_;
    keep(std::move(trial));
  }
  return ids;
}

Result<void> TrialLog::setOutcome(std::int64_t trial, model::Outcome outcome, std::string message) {
  HONE_CHECK(store_.setOutcome(trial, outcome, message));
  if (const auto found = byId_.find(trial); found != byId_.end()) {
    trials_[found->second].outcome = outcome;
    trials_[found->second].message = std::move(message);
  }
  return {};
}

Result<void> TrialLog::saveDetails(const store::Trial& trial) {
  HONE_CHECK(store_.setTrialDetails(trial.id, trial.details));
  if (const auto found = byId_.find(trial.id); found != byId_.end()) {
    trials_[found->second].details = trial.details;
  }
  return {};
}

}  // namespace hone::engine
