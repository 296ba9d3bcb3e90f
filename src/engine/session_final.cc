#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/lane.h"
#include "engine/session.h"
#include "stats/race.h"
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
constexpr std::size_t kFewestRounds = 6;

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
  one.take = [this, take = std::move(one.take)](Stage stage, std::int64_t round,
                                                std::int64_t position) -> Result<Measurement> {
    Measurement measurement = HONE_TRY(take(stage, round, position));
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
  const FileLock lane = HONE_TRY(enterToMeasure());
  const std::vector<std::size_t> racers = std::exchange(finalists_, {});
  std::vector<Participant> participants = {participant(entries_.front())};
  for (const std::size_t index : racers) {
    participants.push_back(participant(entries_[index]));
  }
  stats::RaceOptions options;
  options.keep = plan_.finalists;
  options.seed = plan_.seed;
  stats::Race race(participants.size(), options);
  Rounds rounds(sampler_.rankBy(), store_, Stage::race);
  rounds.restore(recorded_);
  progress_.stage("race", {.total = static_cast<std::int64_t>(options.maxRounds),
                           .atMost = clock_.leftUntil(kRaceShare)});
  const std::int64_t first = rounds.firstFor(participants);
  while (!race.done() && !clock_.spent(kRaceShare)) {
    const auto order = race.order();
    const std::int64_t round = first + static_cast<std::int64_t>(race.rounds());
    race.addRound(HONE_TRY(rounds.take(round, participants, order)));
    progress_.step(fmt::format("{} left", race.ranking().size()));
  }
  for (const std::size_t racer : race.ranking()) {
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
  const FileLock lane = HONE_TRY(enterToMeasure());
  std::vector<Participant> participants = {participant(entries_.front())};
  if (!finalists_.empty()) {
    participants.push_back(participant(twin_));
  }
  for (const std::size_t index : finalists_) {
    participants.push_back(participant(entries_[index]));
  }
  Rounds rounds(sampler_.rankBy(), store_, Stage::final);
  rounds.restore(recorded_);
  const std::int64_t first = rounds.firstFor(participants);
  std::vector<std::vector<std::optional<double>>> times;
  for (std::int64_t part = 0; part < kMaxExtension; ++part) {
    if (part > 0 && (!anyAmbiguous() || clock_.spent(1.0))) {
      break;
    }
    progress_.stage(part == 0 ? "final" : "final, still ambiguous", plan_.rounds);
    for (std::int64_t i = 0; i < plan_.rounds; ++i) {
      if (times.size() >= kFewestRounds && clock_.spent(1.0)) {
        break;
      }
      const std::int64_t round = first + part * plan_.rounds + i;
      times.push_back(HONE_TRY(
          rounds.take(round, participants, shuffled(participants.size(), plan_.seed, round))));
      progress_.step(plan_.scope);
    }
    compareFinalists(times);
  }
  return {};
}

void Session::compareFinalists(const std::vector<std::vector<std::optional<double>>>& rounds) {
  Entry& baseline = entries_.front();
  baseline.roundTimesNs.clear();
  for (const auto& round : rounds) {
    if (round[0]) {
      baseline.roundTimesNs.push_back(*round[0]);
    }
  }
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    Entry& entry = entries_[finalists_[i]];
    entry.roundTimesNs.clear();
    std::vector<double> base;
    std::vector<double> again;
    for (const auto& round : rounds) {
      if (round[0] && round[1] && round[i + 2]) {
        base.push_back(*round[0]);
        again.push_back(*round[1]);
        entry.roundTimesNs.push_back(*round[i + 2]);
      }
    }
    entry.comparison = stats::compare({base, entry.roundTimesNs, again}, plan_.compare);
  }
}

bool Session::anyAmbiguous() const {
  return std::any_of(finalists_.begin(), finalists_.end(), [this](std::size_t index) {
    const auto& comparison = entries_[index].comparison;
    return comparison && comparison->verdict == stats::Verdict::ambiguous;
  });
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
