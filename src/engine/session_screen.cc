// How a session settles one candidate: verified, timed once, stored.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "engine/screening.h"
#include "engine/session.h"

namespace hone::engine {
using model::Outcome;

Result<void> Session::settle(std::size_t index, const iree::Compiled& compiled) {
  Entry& entry = entries_[index];
  take(entry, compiled);
  if (entry.trial != 0) {
    // The expectation is not stored: without a reference the baseline sets it anew.
    const Verification again = HONE_TRY(verifier_.check(entry.call));
    HONE_CHECK(expectDevice(again.outcome));
    HONE_CHECK(refuseBadBaseline(again.outcome, again.message));
    return addTwin();  // the run may have been killed between the two
  }
  const Candidate& candidate = entry.candidate;
  store::Trial trial;
  trial.key = entry.key;
  trial.problem = plan_.programs[candidate.program].label();
  trial.config = candidate.config;
  trial.outcome = iree::outcomeOf(compiled.report.status);
  trial.message = compiled.report.message;
  trial.diagnostics = compiled.report.diagnostics;
  if (trial.outcome == Outcome::ok && !compiled.ignored.empty()) {
    trial.outcome = Outcome::invalid;
    trial.message = compiled.ignored;
  }
  trial.artifact = entry.content = compiled.content;
  trial.compileWallNs = compiled.report.ending.wallNs;
  trial.compileCpuNs = compiled.report.ending.cpuNs;
  trial.details.cached = compiled.cached;
  trial.details.atMs = utcMs();
  trial.details.scope = plan_.scope;
  if (index >= plan_.candidates.size()) {
    trial.details.proposal = plan_.proposer->noteOn(candidate.config);
  }
  if (trial.outcome == Outcome::ok && !compiled.cached) {
    patience_.took(trial.compileWallNs);
  }
  if (trial.outcome == Outcome::ok && plan_.selects) {
    if (const Entry* other = equalBinary(entry)) {
      entry.sameAs = other->key;
      trial.details.sameAs = other->key;
      trial.message = fmt::format("the same binary as {}", other->candidate.config.name);
      entry.trial = HONE_TRY(store_.addTrial(run_, trial, {}));
      return {};
    }
  }
  if (trial.outcome == Outcome::ok) {
    const Verification verification = HONE_TRY(verifier_.check(entry.call));
    trial.outcome = verification.outcome;
    trial.message = verification.message;
    trial.diagnostics += verification.diagnostics;
    trial.details.verified = nameOf(verification.against);
    HONE_CHECK(expectDevice(trial.outcome));
  }
  if (index == 0) {
    HONE_CHECK(refuseBadBaseline(trial.outcome, trial.message));
  }
  HONE_CHECK(screen(entry, trial));
  return index == 0 ? addTwin() : Result<void>();
}

Result<void> Session::expectDevice(Outcome outcome) const {
  const bool failed = outcome == Outcome::runFailed || outcome == Outcome::runTimeout;
  return failed ? engine::expectDevice(runner_) : Result<void>();
}

Result<void> Session::refuseBadBaseline(Outcome outcome, const std::string& message) const {
  const std::string name = plan_.programs.front().source.filename().string();
  switch (outcome) {
    case Outcome::ok:
      return {};
    case Outcome::mismatch:
      return userError("{} computes a wrong result with the compiler's own choices: {}", name,
                       message);
    case Outcome::runFailed:
    case Outcome::runTimeout:
      return userError("{} does not run on {}: {}", name, runner_.device().name, message);
    default:
      return userError("{} does not compile: {}", name, message);
  }
}

Result<void> Session::setPace(std::span<const model::Sample> samples) {
  pace_ = paceOf(*screenTime(samples, iree::RankBy::wall));
  auto details = HONE_TRY(store_.run(run_))->details;
  details.paces[scoped("pace")] = {
      .iterations = pace_->iterations, .repetitions = pace_->repetitions, .warmUp = pace_->warmUp};
  return store_.setDetails(run_, details);
}

Result<void> Session::screen(Entry& entry, store::Trial& trial) {
  std::vector<model::Sample> samples;
  if (trial.outcome == Outcome::ok) {
    const double best = incumbentNs();
    const bool eliminates = plan_.selects && best > 0;
    Measurement measurement =
        HONE_TRY(sampler_.screen(entry.call, eliminates ? std::optional(best) : std::nullopt));
    HONE_CHECK(expectDevice(measurement.outcome));
    trial.outcome = measurement.outcome;
    trial.diagnostics += measurement.diagnostics;
    samples = std::move(measurement.samples);
    if (trial.outcome != Outcome::ok) {
      trial.message = measurement.message;
    } else if (!pace_) {
      HONE_CHECK(setPace(samples));
    }
  }
  if (&entry == &entries_.front()) {
    HONE_CHECK(refuseBadBaseline(trial.outcome, trial.message));
  }
  if (trial.outcome == Outcome::ok) {
    entry.screenNs = *screenTime(samples, sampler_.rankBy());
  }
  judgeScreening(entry, trial);
  entry.trial = HONE_TRY(store_.addTrial(run_, trial, samples));
  return {};
}

void Session::judgeScreening(Entry& entry, store::Trial& trial) const {
  entry.passed = false;
  if (trial.outcome == Outcome::ok) {
    const double best = incumbentNs();
    entry.passed =
        !plan_.selects || !isTooSlow(entry.screenNs, best > 0 ? std::optional(best) : std::nullopt);
    if (!entry.passed) {
      trial.outcome = Outcome::tooSlow;
      trial.message = fmt::format("{:.2f}x the best so far in screening", entry.screenNs / best);
    }
  }
  trial.details.passed = entry.passed;
  trial.details.screenNs = entry.screenNs > 0 ? std::optional(entry.screenNs) : std::nullopt;
}

Result<void> Session::addTwin() {
  twin_.call = entries_.front().call;
  if (twin_.trial != 0) {
    return {};
  }
  store::Trial trial;
  trial.key = twin_.key;
  trial.problem = plan_.programs.front().label();
  trial.config = twin_.candidate.config;
  trial.artifact = entries_.front().content;
  trial.details.twin = true;
  twin_.trial = HONE_TRY(store_.addTrial(run_, trial, {}));
  return {};
}

}  // namespace hone::engine
