// The parts of a session that are carried out elsewhere: what is sent, and what is made of answers.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/session.h"

namespace hone::engine {
namespace {

using model::Outcome;
using model::Stage;

/// A part has its own baseline to measure: smaller ones are not worth it.
constexpr std::size_t kSmallestPart = 8;
/// Those killed with others are tried again alone.
constexpr std::size_t kAlone = 2;
/// Which a trial has that was screened in a unit of its own, before any final.

/// What the trial says of a key of the other store, as a key of this one.
std::string translated(const std::map<std::string, std::string>& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? "" : found->second;
}

/// Screening that is repeated before a final is kept beside the first.
void markAgain(std::vector<model::Sample>& samples) {
  for (model::Sample& sample : samples) {
    sample.round += sample.stage == Stage::screen ? 1 : 0;
  }
}

}  // namespace

Result<void> Session::send(std::vector<std::size_t> which, Extent extent) {
  Plan part;  // without the values of the inputs: they are made anew there
  part.scope = plan_.scope;
  part.programs = plan_.programs;
  part.inputSpecs = plan_.inputSpecs;
  part.otherInputs = plan_.otherInputs ? std::optional(Inputs{}) : std::nullopt;
  part.flags = plan_.flags;
  part.seed = plan_.seed;
  part.budget.time = clock_.left().time;
  part.selects = plan_.selects && extent == Extent::proven;
  part.onlyGains = plan_.onlyGains;
  part.finalists = plan_.finalists;
  part.rounds = plan_.rounds;
  part.compare = plan_.compare;
  for (const std::size_t index : which) {
    part.candidates.push_back(entries_[index].candidate);
  }
  sent_.push_back({HONE_TRY(elsewhere_->begin(part, extent)), std::move(which), extent});
  return {};
}

Result<void> Session::sendScreening(const std::vector<std::size_t>& which) {
  std::vector<std::size_t> left = which;
  std::erase(left, std::size_t{0});
  if (left.empty()) {
    return entries_.front().trial == 0 ? send({0}, Extent::screened) : Result<void>();
  }
  const std::size_t parts =
      std::clamp<std::size_t>(left.size() / kSmallestPart, 1, elsewhere_->places());
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<std::size_t> some = {0};
    some.insert(some.end(), left.begin() + static_cast<std::ptrdiff_t>(left.size() * part / parts),
                left.begin() + static_cast<std::ptrdiff_t>(left.size() * (part + 1) / parts));
    HONE_CHECK(send(std::move(some), Extent::screened));
  }
  return {};
}

Result<void> Session::proveElsewhere() {
  std::vector<std::size_t> all(entries_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  progress_.stage("elsewhere", static_cast<std::int64_t>(all.size()));
  HONE_CHECK(send(std::move(all), Extent::proven));
  return receive();
}

std::vector<std::string> Session::tickets() const {
  std::vector<std::string> tickets;
  for (const Sent& sent : sent_) {
    tickets.push_back(sent.ticket);
  }
  return tickets;
}

Result<void> Session::receive() {
  // In the order they were sent: who is the same as whom, and who is too slow, does not depend on
  // which place was quicker.
  while (!sent_.empty()) {
    const Sent sent = sent_.front();
    auto answer = elsewhere_->end(sent.ticket);
    // A baseline that was fine in one place and is not in another is that place's, not the user's.
    const bool onlyThere =
        !answer && answer.error().fault == Fault::user && entries_.front().trial != 0;
    if (!answer && !onlyThere) {
      return std::unexpected(answer.error());
    }
    sent_.erase(sent_.begin());
    if (answer && answer->killed.empty()) {
      HONE_CHECK(take(sent, std::move(*answer)));
    } else {
      HONE_CHECK(takeKilled(sent, answer ? answer->killed : answer.error().message));
    }
    progress_.step({}, static_cast<std::int64_t>(sent.which.size() - 1));
  }
  learn();
  return {};
}

void Session::judge(std::size_t index, store::Trial& trial, double ratio) {
  Entry& entry = entries_[index];
  entry.screenNs = ratio * trial.details.screenNs.value_or(0);
  if (index >= plan_.candidates.size()) {
    trial.details.proposal = plan_.proposer->noteOn(entry.candidate.config);
  }
  if (trial.outcome == Outcome::ok && plan_.selects && index > 0) {
    if (const Entry* other = equalBinary(entry)) {
      entry.sameAs = other->key;
      entry.screenNs = 0;
      trial.details.sameAs = other->key;
      trial.details.screenNs.reset();
      trial.details.passed.reset();
      trial.message = fmt::format("the same binary as {}", other->candidate.config.name);
      return;
    }
  }
  judgeScreening(entry, trial);
}

Result<void> Session::take(const Sent& sent, PlanAnswer answer) {
  std::map<std::string, store::Trial> known;
  if (sent.extent == Extent::proven) {
    for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
      known.emplace(trial.key, std::move(trial));
    }
  }
  std::map<std::string, std::string> keys;  // of the other store, in this one
  for (std::size_t i = 0; i < answer.tried.size(); ++i) {
    keys[answer.tried[i].record.trial.key] = entries_[sent.which[i]].key;
  }
  const double baselineThere =
      answer.tried.empty() ? 0 : answer.tried.front().record.trial.details.screenNs.value_or(0);
  const double ratio = entries_.front().screenNs > 0 && baselineThere > 0
                           ? entries_.front().screenNs / baselineThere
                           : 1;
  std::vector<store::TrialRecord> records;
  std::vector<std::size_t> recorded;
  for (std::size_t i = 0; i < answer.tried.size(); ++i) {
    auto& [record, finding] = answer.tried[i];
    Entry& entry = entries_[sent.which[i]];
    entry.roundTimesNs = std::move(finding.roundTimesNs);
    entry.comparison = finding.comparison;
    store::Trial& trial = record.trial;
    trial.key = entry.key;
    trial.config = entry.candidate.config;
    if (entry.trial == 0) {
      entry.content = trial.artifact;
      if (sent.extent == Extent::screened) {
        trial.details.nodeBaselineNs = baselineThere;
        judge(sent.which[i], trial, ratio);
        if (!entry.sameAs.empty()) {
          record.samples.clear();
        }
      } else {
        entry.passed = trial.details.passed.value_or(false);
        entry.screenNs = trial.details.screenNs.value_or(0);
        entry.sameAs = translated(keys, trial.details.sameAs);
        trial.details.sameAs = entry.sameAs;
      }
    } else if (sent.extent == Extent::screened) {
      continue;  // the baseline once more
    } else if (const auto before = known.find(entry.key); before != known.end()) {
      // Else it is this very answer once more, to a session that was started again.
      if (before->second.details.nodeBaselineNs) {
        markAgain(record.samples);
      }
      trial.details = before->second.details;
    }
    // Before the next one is judged: it may have the same binary.
    recorded.push_back(sent.which[i]);
    entry.trial = entry.trial == 0 ? -1 : entry.trial;
    records.push_back(std::move(record));
  }
  if (answer.twin && (twin_.trial == 0 || sent.extent == Extent::proven)) {
    answer.twin->trial.key = twin_.key;
    answer.twin->trial.config = twin_.candidate.config;
    records.push_back(std::move(*answer.twin));
  }
  const auto ids = HONE_TRY(store_.merge(run_, records));
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    entries_[recorded[i]].trial = ids[i];
  }
  if (ids.size() > recorded.size()) {
    twin_.trial = ids.back();
  }
  return {};
}

Result<void> Session::takeKilled(const Sent& sent, const std::string& why) {
  if (sent.extent == Extent::proven && entries_.front().trial != 0) {
    progress_.say(fmt::format("nothing is proven of {}: {}", plan_.scope, why));
    return {};
  }
  if (sent.which.size() < kAlone || sent.extent == Extent::proven) {
    return userError("{}: {}", plan_.programs.front().label(), why);
  }
  if (sent.which.size() > kAlone) {
    for (std::size_t i = 1; i < sent.which.size(); ++i) {
      HONE_CHECK(send({0, sent.which[i]}, Extent::screened));
    }
    return {};
  }
  Entry& entry = entries_[sent.which.back()];
  store::Trial trial;
  trial.key = entry.key;
  trial.problem = plan_.programs[entry.candidate.program].label();
  trial.config = entry.candidate.config;
  trial.outcome = Outcome::runFailed;
  trial.message = why;
  trial.details.passed = false;
  trial.details.scope = plan_.scope;
  if (sent.which.back() >= plan_.candidates.size()) {
    trial.details.proposal = plan_.proposer->noteOn(entry.candidate.config);
  }
  const store::TrialRecord record{std::move(trial), {}};
  entry.trial = HONE_TRY(store_.merge(run_, std::span(&record, 1))).front();
  return {};
}

}  // namespace hone::engine
