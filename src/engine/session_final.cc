#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/machine_lock.h"
#include "engine/session.h"
#include "stats/summary.h"

// The second half of a session: from those that passed screening to the findings.

namespace hone::engine {
namespace {

using iree::CompileRequest;
using model::Outcome;
using model::Stage;
using Route = CompileRequest::Route;

/// The fraction of a time budget after which the race stops.
constexpr double kRaceShare = 0.8;
/// An ambiguous final may take this many times its rounds.
constexpr std::int64_t kMaxExtension = 3;
/// So many rounds are taken even when the time is over.
constexpr std::int64_t kFewestRounds = 6;

}  // namespace

bool Session::isCold(const Entry& entry) const {
  // Beside a cold baseline a warm candidate that is hardly quicker would look better than it is.
  const auto wouldGain = [this](const Entry& other) {
    return other.passed && other.screenNs <= kLongCallNs && 2 * other.screenNs > baselineNs();
  };
  const double ns = &entry == &twin_ ? baselineNs() : entry.screenNs;
  return !pace_->warmUp && ns > kLongCallNs &&
         std::none_of(entries_.begin(), entries_.end(), wouldGain);
}

Participant Session::participant(const Entry& entry) const {
  Pace pace = *pace_;
  pace.warmUp = !isCold(entry);
  Participant one = callParticipant(entry.trial, sampler_, entry.call, pace);
  one.time = [this, time = std::move(one.time)](const TimeSlot& slot) -> Result<Measurement> {
    Measurement measurement = HONE_TRY(time(slot));
    HONE_CHECK(expectDevice(measurement.outcome));
    return measurement;
  };
  return one;
}

Result<void> Session::finish() {
  if (elsewhere_ != nullptr) {
    std::vector<std::size_t> which = {0};
    const auto passed = passedCandidates();
    which.insert(which.end(), passed.begin(), passed.end());
    return send(std::move(which), Extent::proven);
  }
  HONE_CHECK(race());
  return finalRounds();
}

Result<void> Session::race() {
  finalists_ = passedCandidates();
  HONE_CHECK(findModules(finalists_));
  if (!plan_.selects || finalists_.size() <= plan_.finalists) {
    return {};
  }
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  const std::vector<std::size_t> racers = std::exchange(finalists_, {});
  std::vector<Participant> participants = {participant(entries_.front())};
  for (const std::size_t index : racers) {
    participants.push_back(participant(entries_[index]));
  }
  stats::RaceOptions options;
  options.keep = plan_.finalists;
  options.seed = plan_.seed;
  RacePolicy policy(participants.size(), options);
  Rounds rounds(sampler_.rankBy(), store_, Stage::race);
  rounds.restore(log_.samples());
  progress_.stage("race", {.total = static_cast<std::int64_t>(options.maxRounds),
                           .atMost = clock_.leftUntil(kRaceShare)});
  RoundLoopOptions loop;
  loop.first = rounds.firstFor(participants);
  loop.outOfTime = [this](std::int64_t /*rounds*/) { return clock_.spent(kRaceShare); };
  loop.onRound = [&] { progress_.step(fmt::format("{} left", policy.race().ranking().size())); };
  HONE_CHECK(runRounds(rounds, participants, policy, loop));
  for (const std::size_t racer : policy.race().ranking()) {
    if (finalists_.size() < plan_.finalists) {
      finalists_.push_back(racers[racer - 1]);
    }
  }
  std::vector<std::int64_t> losers;
  for (const std::size_t index : racers) {
    if (std::find(finalists_.begin(), finalists_.end(), index) == finalists_.end()) {
      losers.push_back(entries_[index].trial);
    }
  }
  return noteLosers(store_, run_, losers);
}

Result<Verification> Session::checkFinalist(const iree::Call& call) {
  Verification verification = HONE_TRY(verifier_.check(call));
  if (verification.outcome == Outcome::ok && otherVerifier_) {
    iree::Call other = call;
    other.inputs = plan_.otherInputs->arguments;
    verification = HONE_TRY(otherVerifier_->check(other));
  }
  return verification;
}

Result<void> Session::rebuildFinalists() {
  std::vector<std::size_t> which = {0};
  which.insert(which.end(), finalists_.begin(), finalists_.end());
  std::vector<iree::Compiled> compiled;
  if (anyAttributes()) {
    compiled = HONE_TRY(compile(which, Route::shared));
  }
  finalists_.clear();
  for (std::size_t i = 0; i < which.size(); ++i) {
    Entry& entry = entries_[which[i]];
    Verification verification;
    if (!compiled.empty()) {
      entry.call.module = compiled[i].module;
      entry.call.function = plan_.programs[entry.candidate.program].function;
      verification.outcome = iree::outcomeOf(compiled[i].report.status);
      verification.message = compiled[i].report.message;
    }
    if (verification.outcome == Outcome::ok && (!compiled.empty() || otherVerifier_)) {
      verification = HONE_TRY(checkFinalist(entry.call));
    }
    if (verification.outcome != Outcome::ok) {
      HONE_CHECK(expectDevice(verification.outcome));
      HONE_CHECK(store_.setOutcome(entry.trial, verification.outcome, verification.message));
      if (i == 0) {
        return userError("the program alone differs from itself among others: {}",
                         verification.message);
      }
    } else if (i > 0) {
      finalists_.push_back(which[i]);
    }
  }
  twin_.call = entries_.front().call;
  return {};
}

Result<void> Session::finalRounds() {
  if (plan_.onlyGains && finalists_.empty()) {
    return {};
  }
  HONE_CHECK(rebuildFinalists());
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  std::vector<Participant> participants = {participant(entries_.front())};
  if (!finalists_.empty()) {
    participants.push_back(participant(twin_));
  }
  for (const std::size_t index : finalists_) {
    participants.push_back(participant(entries_[index]));
  }
  Rounds rounds(sampler_.rankBy(), store_, Stage::final);
  rounds.restore(log_.samples());
  FinalOptions options;
  options.rounds = plan_.rounds;
  options.maxRounds = kMaxExtension * plan_.rounds;
  options.compare = plan_.compare;
  options.compare.seed = plan_.seed;
  FinalPolicy policy(participants.size(), options);
  std::int64_t taken = 0;
  RoundLoopOptions loop;
  loop.first = rounds.firstFor(participants);
  loop.outOfTime = [this](std::int64_t number) {
    return number >= kFewestRounds && clock_.spent(1.0);
  };
  loop.onRound = [&] {
    progress_.step(plan_.scope);
    if (++taken % plan_.rounds == 0) {
      progress_.stage("final, still ambiguous", plan_.rounds);
    }
  };
  progress_.stage("final", plan_.rounds);
  HONE_CHECK(runRounds(rounds, participants, policy, loop));
  takeFinal(policy.result());
  return {};
}

void Session::takeFinal(const std::vector<PairedTimes>& result) {
  entries_.front().roundTimesNs = result.front().timesNs;
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    Entry& entry = entries_[finalists_[i]];
    entry.roundTimesNs = result[i + 2].timesNs;
    entry.comparison = result[i + 2].comparison;
  }
}

Result<std::vector<Finding>> Session::findings() const {
  std::map<std::string, store::Trial> trials;
  for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    trials.emplace(trial.key, std::move(trial));
  }
  std::vector<Finding> findings;
  for (const Entry& entry : entries_) {
    const auto trial = trials.find(entry.key);
    if (trial == trials.end()) {
      continue;  // beyond the budget
    }
    Finding finding;
    finding.key = entry.key;
    finding.config = entry.candidate.config;
    finding.outcome = trial->second.outcome;
    finding.message = trial->second.message;
    finding.artifact = trial->second.artifact;
    finding.roundTimesNs = entry.roundTimesNs;
    finding.comparison = entry.comparison;
    finding.timeNs =
        entry.roundTimesNs.empty() ? entry.screenNs : stats::median(entry.roundTimesNs);
    const std::string& against = trial->second.details.verified;
    finding.against = against == "reference"  ? Against::reference
                      : against == "baseline" ? Against::baseline
                                              : Against::nothing;
    for (const Entry& other : entries_) {
      finding.sameAs = other.key == entry.sameAs ? other.candidate.config.name : finding.sameAs;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace hone::engine
