#include "engine/plan/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "engine/executor/unit_result.h"
#include "engine/plan/screening_stage.h"

namespace hone::engine {
namespace {

using model::Outcome;
using model::Stage;

/// Maximum number of candidates proposed or submitted per step.
constexpr std::size_t kStep = 16;
/// Minimum candidates per unit, since each unit also measures the baseline.
constexpr std::size_t kMinCandidatesPerUnit = 8;
/// The baseline and one candidate: the smallest unit, which is not split.
constexpr std::size_t kMinUnitSize = 2;

std::string translateKey(const std::map<std::string, std::string>& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? "" : found->second;
}

/// Numbers the screening before a final as another round, so that both are kept.
void renumberScreening(std::vector<model::Sample>& samples) {
  for (model::Sample& sample : samples) {
    sample.round += sample.stage == Stage::screen ? 1 : 0;
  }
}

}  // namespace

Result<void> Session::restore() {
  HONE_CHECK(log_.restore());
  return state_.restore();
}

std::size_t Session::allowedPlanned() const {
  const std::size_t count = state_.entries.size();
  const auto& trials = state_.plan.budget.trials;
  return trials ? std::min(count, static_cast<std::size_t>(*trials) + 1) : count;
}

Result<void> Session::submit(std::vector<std::size_t> which, LastStage lastStage) {
  Ticket ticket =
      HONE_TRY(context_.executor.submit(std::make_unique<PlanUnit>(state_, which, lastStage)));
  sent_.push_back({std::move(ticket), std::move(which), lastStage});
  return {};
}

Result<void> Session::submitScreening(std::size_t first, std::size_t count) {
  std::vector<std::size_t> pending;
  for (std::size_t i = std::max<std::size_t>(first, 1); i < first + count; ++i) {
    if (state_.entries[i].trial == 0) {
      pending.push_back(i);
    }
  }
  if (pending.empty()) {
    return state_.baseline().trial == 0 ? submit({0}, LastStage::screened) : Result<void>();
  }
  const std::size_t minParts = (pending.size() + kStep - 1) / kStep;
  const std::size_t parts = std::max(
      minParts, std::min(pending.size() / kMinCandidatesPerUnit, context_.executor.places()));
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<std::size_t> some = {0};
    some.insert(some.end(),
                pending.begin() + static_cast<std::ptrdiff_t>(pending.size() * part / parts),
                pending.begin() + static_cast<std::ptrdiff_t>(pending.size() * (part + 1) / parts));
    HONE_CHECK(submit(std::move(some), LastStage::screened));
  }
  return {};
}

Result<void> Session::submitPlanned() {
  const std::size_t count = allowedPlanned();
  context_.progress.best({});
  context_.progress.stage("trials", {.total = static_cast<std::int64_t>(count),
                                     .atMost = state_.clock.leftUntil(state_.plan.screeningShare)});
  return submitScreening(0, count);
}

Result<std::size_t> Session::submitProposed(std::size_t limit) {
  const Plan& plan = state_.plan;
  std::size_t count = std::min(kStep, limit);
  if (plan.budget.trials) {
    const auto allowed = static_cast<std::size_t>(*plan.budget.trials) + 1;
    count = allowed > state_.entries.size() ? std::min(count, allowed - state_.entries.size()) : 0;
  }
  if (plan.proposer == nullptr || count == 0) {
    return std::size_t{0};
  }
  auto configs = HONE_TRY(plan.proposer->propose(count));
  const std::size_t first = state_.entries.size();
  for (model::Config& config : configs) {
    state_.add({0, std::move(config)});
  }
  unlearned_ = first;
  HONE_CHECK(submitScreening(first, configs.size()));
  return configs.size();
}

Result<void> Session::submitFinal() {
  std::vector<std::size_t> which = {0};
  const auto passed = state_.passedCandidates();
  if (passed.empty() && state_.plan.onlyGains) {
    return {};
  }
  which.insert(which.end(), passed.begin(), passed.end());
  return submit(std::move(which), LastStage::proven);
}

Result<void> Session::proveAll() {
  std::vector<std::size_t> all(allowedPlanned());
  std::iota(all.begin(), all.end(), std::size_t{0});
  context_.progress.best({});
  context_.progress.stage("trials", {.total = static_cast<std::int64_t>(all.size()),
                                     .atMost = state_.clock.leftUntil(state_.plan.screeningShare)});
  HONE_CHECK(submit(std::move(all), LastStage::proven));
  return receive();
}

Result<void> Session::search() {
  HONE_CHECK(submitPlanned());
  HONE_CHECK(receive());
  while (!state_.clock.spent(state_.plan.screeningShare) && HONE_TRY(submitProposed()) > 0) {
    HONE_CHECK(receive());
  }
  HONE_CHECK(submitFinal());
  return receive();
}

std::vector<Ticket> Session::tickets() const {
  std::vector<Ticket> tickets;
  for (const Sent& sent : sent_) {
    tickets.push_back(sent.ticket);
  }
  return tickets;
}

Result<void> Session::receive() {
  // In the order of submission: equal binaries and eliminations must not depend on the speed of the
  // places.
  while (!sent_.empty()) {
    const Sent sent = sent_.front();
    UnitResult result = HONE_TRY(context_.executor.result(sent.ticket));
    // If the baseline passed elsewhere, its failure is caused by this device or node.
    if (result.error && (!result.remote || (state_.baseline().trial == 0 && !result.killed))) {
      return std::unexpected(*result.error);
    }
    sent_.erase(sent_.begin());
    if (result.error) {
      HONE_CHECK(takeFailed(sent, result.error->message));
    } else if (result.remote) {
      auto tried = HONE_TRY(planResultFrom(result.value, std::move(result.records)));
      HONE_CHECK(take(sent, std::move(tried)));
    }
    if (result.remote) {
      context_.progress.step({}, static_cast<std::int64_t>(sent.which.size() - 1));
    }
  }
  learn();
  return {};
}

void Session::learn() {
  Proposer* proposer = state_.plan.proposer;
  for (; proposer != nullptr && unlearned_ > 0 && unlearned_ < state_.entries.size();
       ++unlearned_) {
    const SessionEntry& entry = state_.entries[unlearned_];
    proposer->learn(entry.candidate.config, state_.screeningTime(entry));
  }
}

std::size_t Session::tried() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      state_.entries, [](const SessionEntry& entry) { return entry.trial != 0; }));
}

void Session::judgeRemote(std::size_t index, store::TrialRecord& record, double ratio) {
  SessionEntry& entry = state_.entries[index];
  store::Trial& trial = record.trial;
  if (index >= state_.plan.candidates.size()) {
    trial.details.proposal = state_.plan.proposer->noteOn(entry.candidate.config);
  }
  if (index > 0 && trial.outcome == Outcome::ok && adoptEqualBinary(state_, entry, trial)) {
    trial.details.screenNs.reset();
    trial.details.passed.reset();
    record.samples.clear();
    return;
  }
  entry.screenNs = ratio * trial.details.screenNs.value_or(0);
  judgeScreening(state_, entry, trial);
}

Result<void> Session::take(const Sent& sent, PlanResult result) {
  OtherProcess there;
  for (std::size_t i = 0; i < result.tried.size(); ++i) {
    there.keys[result.tried[i].record.trial.key] = state_.entries[sent.which[i]].key;
  }
  if (!result.tried.empty()) {
    there.baselineNs = result.tried.front().record.trial.details.screenNs.value_or(0);
  }
  std::vector<store::TrialRecord> records;
  std::vector<SessionEntry*> recorded;
  for (std::size_t i = 0; i < result.tried.size(); ++i) {
    SessionEntry& entry = state_.entries[sent.which[i]];
    if (takeTried(sent.which[i], sent.lastStage, there, result.tried[i])) {
      // Set before judging the next entry, which may have the same binary.
      entry.trial = entry.trial == 0 ? -1 : entry.trial;
      recorded.push_back(&entry);
      records.push_back(std::move(result.tried[i].record));
    }
  }
  if (result.twin && (state_.twin.trial == 0 || sent.lastStage == LastStage::proven)) {
    result.twin->trial.key = state_.twin.key;
    result.twin->trial.config = state_.twin.candidate.config;
    recorded.push_back(&state_.twin);
    records.push_back(std::move(*result.twin));
  }
  const auto ids = HONE_TRY(log_.merge(records));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    recorded[i]->trial = ids[i];
  }
  return {};
}

bool Session::takeTried(std::size_t index, LastStage lastStage, const OtherProcess& there,
                        TriedCandidate& tried) {
  SessionEntry& entry = state_.entries[index];
  entry.roundTimesNs = std::move(tried.roundTimesNs);
  entry.comparison = tried.comparison;
  store::Trial& trial = tried.record.trial;
  trial.key = entry.key;
  trial.config = entry.candidate.config;
  if (entry.trial != 0) {
    if (lastStage == LastStage::screened) {
      return false;  // the baseline is already recorded
    }
    if (const store::Trial* before = log_.find(entry.key)) {
      // If it was not screened elsewhere, the session was restarted and receives the same result.
      if (before->details.nodeBaselineNs) {
        renumberScreening(tried.record.samples);
      }
      trial.details = before->details;
    }
    return true;
  }
  entry.content = trial.artifact;
  if (lastStage == LastStage::screened) {
    const bool comparable = state_.baselineNs() > 0 && there.baselineNs > 0;
    trial.details.nodeBaselineNs = there.baselineNs;
    judgeRemote(index, tried.record, comparable ? state_.baselineNs() / there.baselineNs : 1);
  } else {
    entry.passed = trial.details.passed.value_or(false);
    entry.screenNs = trial.details.screenNs.value_or(0);
    entry.sameAs = translateKey(there.keys, trial.details.sameAs);
    trial.details.sameAs = entry.sameAs;
  }
  return true;
}

Result<void> Session::takeFailed(const Sent& sent, const std::string& why) {
  const Plan& plan = state_.plan;
  if (sent.lastStage == LastStage::proven && state_.baseline().trial != 0) {
    context_.progress.say(fmt::format("cannot prove a result for {}: {}", plan.scope, why));
    return {};
  }
  if (sent.which.size() < kMinUnitSize || sent.lastStage == LastStage::proven) {
    return userError("{}: {}", plan.programs.front().label(), why);
  }
  if (sent.which.size() > kMinUnitSize) {
    for (std::size_t i = 1; i < sent.which.size(); ++i) {
      HONE_CHECK(submit({0, sent.which[i]}, LastStage::screened));
    }
    return {};
  }
  SessionEntry& entry = state_.entries[sent.which.back()];
  store::Trial trial;
  trial.key = entry.key;
  trial.problem = plan.programs[entry.candidate.program].label();
  trial.config = entry.candidate.config;
  trial.outcome = Outcome::runFailed;
  trial.message = why;
  trial.details.passed = false;
  trial.details.scope = plan.scope;
  if (sent.which.back() >= plan.candidates.size()) {
    trial.details.proposal = plan.proposer->noteOn(entry.candidate.config);
  }
  HONE_CHECK(log_.add(trial, {}));
  entry.trial = trial.id;
  return {};
}

}  // namespace hone::engine
