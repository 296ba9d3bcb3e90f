#include "kernel/turns/docket.h"

#include <utility>

#include "base/hash.h"
#include "engine/sampler.h"
#include "kernel/turns/trial_record.h"

namespace hone::kernel {
namespace {

using model::Outcome;

/// In screening; what is slower is no winner.
constexpr double kHopeless = 1.5;

engine::Measurement measurementOf(Judged judged) {
  return {judged.outcome, std::move(judged.message), std::move(judged.diagnostics),
          std::move(judged.samples)};
}

}  // namespace

std::string Docket::scoped(const std::string& key) const {
  return scope_.kernel.empty() ? key : fmt::format("{}: {}", scope_.kernel, key);
}

Result<void> Docket::restore() {
  for (const store::TrialSample& entry : HONE_TRY(scope_.store.samples(scope_.run))) {
    if (entry.sample.stage == model::Stage::screen) {
      screening_[entry.trial].push_back(entry.sample);
    }
  }
  const std::string prefix = scoped("");
  for (store::Trial& trial : HONE_TRY(scope_.store.trials(scope_.run))) {
    const bool ours = scope_.kernel.empty() || trial.key.starts_with(prefix);
    if (!ours) {
      continue;
    }
    if (trial.details.kernel) {
      static_cast<void>(add(triedFrom(trial, screening_[trial.id]), trial.id));
    }
    known_.emplace(trial.key, std::move(trial));
  }
  return {};
}

Entry& Docket::add(Tried tried, std::int64_t trial) {
  Entry entry{std::move(tried), trial, 0};
  if (!entry.tried.judged.samples.empty()) {
    entry.screenNs = engine::rankTime(entry.tried.judged.samples, scope_.rankBy);
  }
  const double originalNs = entries_.empty() ? entry.screenNs : entries_.front().screenNs;
  if (entry.screenNs > 0 && originalNs > 0) {
    entry.tried.speedup = originalNs / entry.screenNs;
  }
  return entries_.emplace_back(std::move(entry));
}

Entry* Docket::find(const std::string& sourceKey) {
  for (Entry& entry : entries_) {
    if (entry.source().key() == sourceKey) {
      return &entry;
    }
  }
  return nullptr;
}

Result<Entry*> Docket::judge(const Proposal& proposal, std::size_t turn, double toBeatNs) {
  const std::string key = proposal.source.key();
  if (Entry* before = find(key); before != nullptr) {
    return before;
  }
  Tried tried;
  tried.proposal = proposal;
  tried.turn = turn;
  tried.judged = HONE_TRY(referee_.judge(proposal.source, seedFrom(scope_.seed, key)));
  const double screenNs =
      tried.judged.samples.empty() ? 0 : engine::rankTime(tried.judged.samples, scope_.rankBy);
  if (tried.judged.ok() && toBeatNs > 0 && screenNs > kHopeless * toBeatNs) {
    tried.judged.outcome = Outcome::tooSlow;
    tried.judged.message = fmt::format("takes {:.2f}x the time of the best", screenNs / toBeatNs);
  }
  const std::int64_t trial = HONE_TRY(
      scope_.store.addTrial(scope_.run, trialOf(tried, scoped(key)), tried.judged.samples));
  return &add(std::move(tried), trial);
}

Result<std::int64_t> Docket::companion(const std::string& name) {
  const std::string key = scoped(name);
  if (const auto before = known_.find(key); before != known_.end()) {
    return before->second.id;
  }
  store::Trial trial;
  trial.key = key;
  trial.problem = referee_.task().name;
  trial.config.name = name;
  trial.id = HONE_TRY(scope_.store.addTrial(scope_.run, trial, {}));
  return known_.emplace(key, trial).first->second.id;
}

engine::Participant Docket::participant(std::int64_t trial,
                                        const std::optional<Source>& source) const {
  return {trial,
          [this, source](model::Stage stage, std::int64_t round,
                         std::int64_t position) -> Result<engine::Measurement> {
            const Contestant contestant{source ? &*source : nullptr};
            return measurementOf(HONE_TRY(referee_.measure(contestant, stage, round, position)));
          }};
}

Result<void> Docket::refresh() {
  std::map<std::int64_t, store::Trial> trials;
  for (store::Trial& trial : HONE_TRY(scope_.store.trials(scope_.run))) {
    trials.emplace(trial.id, std::move(trial));
  }
  for (Entry& entry : entries_) {
    if (const auto at = trials.find(entry.trial); at != trials.end()) {
      entry.tried.judged.outcome = at->second.outcome;
      entry.tried.judged.message = at->second.message;
    }
  }
  return {};
}

Result<std::string> Docket::failureOf(std::int64_t trial) const {
  for (const store::Trial& one : HONE_TRY(scope_.store.trials(scope_.run))) {
    if (one.id == trial && one.outcome != Outcome::ok) {
      return one.message.empty() ? std::string(model::nameOf(one.outcome)) : one.message;
    }
  }
  return std::string();
}

}  // namespace hone::kernel
