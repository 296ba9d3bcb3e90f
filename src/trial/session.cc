#include "trial/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "stats/race.h"
#include "stats/summary.h"
#include "trial/lane.h"

namespace hone::trial {
namespace {

using iree::CompileRequest;
using model::Outcome;
using model::Stage;
using Route = CompileRequest::Route;

/// Whoever is this much slower than the best so far in its first samples is not raced.
constexpr double kScreenFactor = 1.5;
constexpr std::int64_t kScreenSamples = 3;
/// Compiled and measured in turns of so many: results come early, and little is redone after a
/// kill.
constexpr std::size_t kChunk = 16;
/// Fractions of a time budget after which the stages before the final stop.
constexpr double kTryShare = 0.6;
constexpr double kRaceShare = 0.8;
/// An ambiguous final may take this many times its rounds.
constexpr std::int64_t kMaxExtension = 3;
constexpr const char* kTwinKey = "twin";

std::string keyOf(const Plan& plan, std::size_t candidate) {
  const Program& program = plan.programs[plan.candidates[candidate].program];
  return Hasher()
      .field(std::to_string(candidate))
      .field(program.hash)
      .field(program.function)
      .field(plan.candidates[candidate].config.key())
      .hex();
}

}  // namespace

Session::Session(iree::Compiler& compiler, const iree::Executor& executor, store::Store& store,
                 Progress& progress, std::int64_t run, const Plan& plan,
                 std::filesystem::path folder)
    : compiler_(compiler),
      executor_(executor),
      store_(store),
      progress_(progress),
      run_(run),
      plan_(plan),
      sampler_(executor),
      verifier_(executor, plan.programs.front(), plan.inputs, std::move(folder)),
      clock_(plan.budget) {
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    Entry entry;
    entry.key = keyOf(plan, i);
    entry.name = plan.candidates[i].config.name;
    entry.call.function = plan.programs[plan.candidates[i].program].function;
    entry.call.inputs = plan.inputs.arguments;
    entries_.push_back(std::move(entry));
  }
  twin_.key = kTwinKey;
  twin_.name = fmt::format("{} (again)", entries_.front().name);
}

Result<void> Session::restore() {
  const auto run = HONE_TRY(store_.run(run_));
  if (run && run->details.contains("pace")) {
    pace_ = Pace{run->details["pace"].at("iterations").get<std::int64_t>(),
                 run->details["pace"].at("repetitions").get<std::int64_t>()};
  }
  recorded_ = HONE_TRY(store_.samples(run_));
  std::map<std::int64_t, std::vector<model::Sample>> screened;
  for (const store::TrialSample& entry : recorded_) {
    if (entry.sample.stage == Stage::screen) {
      screened[entry.trial].push_back(entry.sample);
    }
  }
  for (const store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.key == trial.key; });
    if (at == entries_.end()) {
      twin_.trial = trial.key == kTwinKey ? trial.id : twin_.trial;
      continue;
    }
    at->trial = trial.id;
    at->content = trial.artifact;
    at->passed = trial.details.value("passed", false);
    at->sameAs = trial.details.value("same_as", "");
    if (const auto samples = screened.find(trial.id); samples != screened.end()) {
      at->screenNs = sampler_.rankTime(samples->second);
    }
  }
  return {};
}

Result<void> Session::tryAll() {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool withinTrials = !plan_.budget.trials || std::cmp_less_equal(i, *plan_.budget.trials);
    // A trial that is done needs its module again only when it may still be measured.
    if (withinTrials && (entries_[i].trial == 0 || entries_[i].passed)) {
      left.push_back(i);
    }
  }
  progress_.stage("trials", static_cast<std::int64_t>(left.size()));
  for (std::size_t at = 0; at < left.size(); at += kChunk) {
    if (at > 0 && clock_.spent(kTryShare)) {
      break;
    }
    const std::size_t count = std::min(kChunk, left.size() - at);
    HONE_CHECK(compileSome(std::span(left).subspan(at, count)));
  }
  return {};
}

bool Session::anyAttributes() const {
  return std::any_of(
      plan_.candidates.begin(), plan_.candidates.end(),
      [](const Candidate& candidate) { return !candidate.config.attributes.empty(); });
}

Result<void> Session::compileSome(std::span<const std::size_t> which) {
  const auto route = anyAttributes() ? Route::batched : Route::whole;
  std::vector<CompileRequest> requests;
  for (const std::size_t index : which) {
    requests.push_back(requestFor(plan_, index, route));
  }
  std::vector<iree::Compiled> compiled;
  {
    const FileLock lane = HONE_TRY(enterToCompile());
    compiled = HONE_TRY(compiler_.compileAll(requests, {}));
  }
  const FileLock lane = HONE_TRY(enterToMeasure());
  for (std::size_t i = 0; i < which.size(); ++i) {
    HONE_CHECK(settle(which[i], compiled[i]));
    progress_.step(fmt::format("best {}", humanTime(incumbentNs())));
  }
  return {};
}

const Session::Entry* Session::equalBinary(const Entry& entry) const {
  for (const Entry& other : entries_) {
    if (&other != &entry && other.trial != 0 && other.content == entry.content &&
        other.sameAs.empty()) {
      return &other;
    }
  }
  return nullptr;
}

Result<void> Session::settle(std::size_t index, const iree::Compiled& compiled) {
  Entry& entry = entries_[index];
  entry.call.module = compiled.module;
  if (!compiled.function.empty()) {
    entry.call.function = compiled.function;
  }
  if (entry.trial != 0) {
    if (index > 0) {
      return {};
    }
    // The expectation is not stored: without a reference the baseline sets it anew.
    HONE_CHECK(verifier_.check(entry.call));
    return addTwin();  // the run may have been killed between the two
  }
  const Candidate& candidate = plan_.candidates[index];
  store::Trial trial;
  trial.key = entry.key;
  trial.problem = plan_.programs[candidate.program].label();
  trial.config = candidate.config;
  trial.outcome = iree::outcomeOf(compiled.report.status);
  trial.message = compiled.report.message;
  trial.diagnostics = compiled.report.diagnostics;
  trial.artifact = entry.content = compiled.content;
  trial.compileWallNs = compiled.report.ending.wallNs;
  trial.compileCpuNs = compiled.report.ending.cpuNs;
  trial.details["cached"] = compiled.cached;
  if (trial.outcome == Outcome::ok && plan_.selects) {
    if (const Entry* other = equalBinary(entry)) {
      entry.sameAs = other->key;
      trial.details["same_as"] = other->key;
      trial.message = fmt::format("the same binary as {}", other->name);
      entry.trial = HONE_TRY(store_.addTrial(run_, trial, {}));
      return {};
    }
  }
  if (trial.outcome == Outcome::ok) {
    const Verification verification = HONE_TRY(verifier_.check(entry.call));
    trial.outcome = verification.outcome;
    trial.message = verification.message;
    trial.diagnostics += verification.diagnostics;
    trial.details["verified"] = nameOf(verification.against);
  }
  if (index == 0) {
    HONE_CHECK(refuseBadBaseline(trial));
  }
  HONE_CHECK(screen(entry, trial));
  return index == 0 ? addTwin() : Result<void>();
}

Result<void> Session::refuseBadBaseline(const store::Trial& trial) const {
  const std::string name = plan_.programs.front().source.filename().string();
  switch (trial.outcome) {
    case Outcome::ok:
      return {};
    case Outcome::mismatch:
      return userError("{} computes a wrong result with the compiler's own choices: {}", name,
                       trial.message);
    case Outcome::runFailed:
    case Outcome::runTimeout:
      return userError("{} does not run on {}: {}", name, executor_.device().name, trial.message);
    default:
      return userError("{} does not compile: {}", name, trial.message);
  }
}

Result<void> Session::screen(Entry& entry, store::Trial& trial) {
  std::vector<model::Sample> samples;
  if (trial.outcome == Outcome::ok) {
    if (!pace_) {
      pace_ = HONE_TRY(sampler_.paceFor(entry.call));
      auto details = HONE_TRY(store_.run(run_))->details;
      details["pace"] = {{"iterations", pace_->iterations}, {"repetitions", pace_->repetitions}};
      HONE_CHECK(store_.setDetails(run_, details));
    }
    const Pace pace{pace_->iterations, std::max(pace_->repetitions, kScreenSamples)};
    Measurement measurement = HONE_TRY(sampler_.take(entry.call, pace, Stage::screen, 0, 0));
    trial.outcome = measurement.outcome;
    trial.diagnostics += measurement.diagnostics;
    samples = std::move(measurement.samples);
    if (trial.outcome != Outcome::ok) {
      trial.message = measurement.message;
    }
  }
  if (trial.outcome == Outcome::ok) {
    entry.screenNs = sampler_.rankTime(samples);
    const double best = incumbentNs();
    entry.passed = !plan_.selects || best == 0 || entry.screenNs <= kScreenFactor * best;
    if (!entry.passed) {
      trial.outcome = Outcome::tooSlow;
      trial.message = fmt::format("{:.2f}x the best so far in screening", entry.screenNs / best);
    }
  }
  trial.details["passed"] = entry.passed;
  entry.trial = HONE_TRY(store_.addTrial(run_, trial, samples));
  return {};
}

Result<void> Session::addTwin() {
  twin_.call = entries_.front().call;
  if (twin_.trial != 0) {
    return {};
  }
  store::Trial trial;
  trial.key = twin_.key;
  trial.problem = plan_.programs.front().label();
  trial.config = plan_.candidates.front().config;
  trial.config.name = twin_.name;
  trial.artifact = entries_.front().content;
  trial.details["twin"] = true;
  twin_.trial = HONE_TRY(store_.addTrial(run_, trial, {}));
  return {};
}

double Session::incumbentNs() const {
  double best = 0;
  for (const Entry& entry : entries_) {
    if (entry.passed && (best == 0 || entry.screenNs < best)) {
      best = entry.screenNs;
    }
  }
  return best;
}

std::vector<std::size_t> Session::passedCandidates() const {
  std::vector<std::size_t> passed;
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].passed) {
      passed.push_back(i);
    }
  }
  return passed;
}

Participant Session::participant(const Entry& entry) const {
  return callParticipant(entry.trial, sampler_, entry.call, *pace_);
}

Result<void> Session::race() {
  finalists_ = passedCandidates();
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
  Rounds rounds(sampler_, store_, Stage::race);
  rounds.restore(recorded_);
  progress_.stage("race", static_cast<std::int64_t>(options.maxRounds));
  while (!race.done() && !clock_.spent(kRaceShare)) {
    const auto order = race.order();
    race.addRound(
        HONE_TRY(rounds.take(static_cast<std::int64_t>(race.rounds()), participants, order)));
    progress_.step(fmt::format("{} left", race.ranking().size()));
  }
  for (const std::size_t racer : race.ranking()) {
    if (finalists_.size() < plan_.finalists) {
      finalists_.push_back(racers[racer - 1]);
    }
  }
  for (const std::size_t index : racers) {
    if (std::find(finalists_.begin(), finalists_.end(), index) == finalists_.end()) {
      HONE_CHECK(store_.setOutcome(entries_[index].trial, Outcome::tooSlow, "lost the race"));
    }
  }
  return {};
}

Result<void> Session::rebuildFinalists() {
  if (!anyAttributes()) {
    return {};
  }
  std::vector<std::size_t> which = {0};
  which.insert(which.end(), finalists_.begin(), finalists_.end());
  std::vector<CompileRequest> requests;
  for (const std::size_t index : which) {
    requests.push_back(requestFor(plan_, index, Route::shared));
  }
  std::vector<iree::Compiled> compiled;
  {
    const FileLock lane = HONE_TRY(enterToCompile());
    compiled = HONE_TRY(compiler_.compileAll(requests, {}));
  }
  finalists_.clear();
  for (std::size_t i = 0; i < which.size(); ++i) {
    Entry& entry = entries_[which[i]];
    entry.call.module = compiled[i].module;
    entry.call.function = requests[i].function;
    Verification verification{iree::outcomeOf(compiled[i].report.status), Against::nothing,
                              compiled[i].report.message, ""};
    if (verification.outcome == Outcome::ok) {
      verification = HONE_TRY(verifier_.check(entry.call));
    }
    if (verification.outcome != Outcome::ok) {
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
  HONE_CHECK(rebuildFinalists());
  const FileLock lane = HONE_TRY(enterToMeasure());
  std::vector<Participant> participants = {participant(entries_.front())};
  if (!finalists_.empty()) {
    participants.push_back(participant(twin_));
  }
  for (const std::size_t index : finalists_) {
    participants.push_back(participant(entries_[index]));
  }
  Rounds rounds(sampler_, store_, Stage::final);
  rounds.restore(recorded_);
  std::vector<std::vector<std::optional<double>>> times;
  for (std::int64_t part = 0; part < kMaxExtension; ++part) {
    if (part > 0 && (!anyAmbiguous() || clock_.spent(1.0))) {
      break;
    }
    progress_.stage(part == 0 ? "final" : "final, still ambiguous", plan_.rounds);
    for (std::int64_t i = 0; i < plan_.rounds; ++i) {
      const std::int64_t round = part * plan_.rounds + i;
      times.push_back(HONE_TRY(
          rounds.take(round, participants, shuffled(participants.size(), plan_.seed, round))));
      progress_.step();
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
    finding.name = entry.name;
    finding.outcome = trial->second.outcome;
    finding.message = trial->second.message;
    finding.artifact = trial->second.artifact;
    finding.roundTimesNs = entry.roundTimesNs;
    finding.comparison = entry.comparison;
    finding.timeNs =
        entry.roundTimesNs.empty() ? entry.screenNs : stats::median(entry.roundTimesNs);
    const std::string against = trial->second.details.value("verified", "");
    finding.against = against == "reference"  ? Against::reference
                      : against == "baseline" ? Against::baseline
                                              : Against::nothing;
    for (const Entry& other : entries_) {
      finding.sameAs = other.key == entry.sameAs ? other.name : finding.sameAs;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace hone::trial
