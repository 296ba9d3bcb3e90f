#include "engine/rounds/call_trials.h"

#include <algorithm>

#include "engine/rounds/screening.h"

namespace hone::engine {
namespace {

using model::Outcome;

}  // namespace

std::optional<double> CallTrial::screenNs() const {
  return screenTimesNs.empty() ? std::nullopt
                               : std::optional(*std::ranges::min_element(screenTimesNs));
}

bool CallTrials::adopt(CallTrial& one) const {
  const store::Trial* before = log_.find(one.trial.key);
  if (before == nullptr) {
    return false;
  }
  one.trial = *before;
  if (one.trial.details.screenTimesNs) {
    one.screenTimesNs = *one.trial.details.screenTimesNs;
    return true;
  }
  // Earlier versions timed only first calls and recorded bounds for the rest. Neither is a
  // measurement.
  return one.trial.outcome != Outcome::ok && one.trial.outcome != Outcome::tooSlow;
}

Result<std::vector<model::Sample>> CallTrials::measure(CallTrial& one,
                                                       std::optional<double> bestNs) const {
  Measurement screening = HONE_TRY(sampler_.screen(one.call, bestNs));
  store::Trial& trial = one.trial;
  trial.outcome = screening.outcome;
  trial.message = screening.message;
  trial.diagnostics += screening.diagnostics;
  for (const model::Sample& sample : screening.samples) {
    one.screenTimesNs.push_back(rankTime(std::span(&sample, 1), sampler_.rankBy()));
  }
  if (one.runs() && isTooSlow(*one.screenNs(), bestNs)) {
    trial.outcome = Outcome::tooSlow;
    trial.message = tooSlowMessage(*one.screenNs(), *bestNs);
  }
  trial.details.screenTimesNs = one.screenTimesNs;
  return std::move(screening.samples);
}

Result<void> CallTrials::screen(CallTrial& one, const iree::CompileReport& report,
                                std::optional<double> bestNs) {
  if (adopt(one)) {
    return {};
  }
  store::Trial& trial = one.trial;
  if (trial.id == 0) {
    trial.outcome = iree::toOutcome(report.status);
    trial.message = report.message;
    trial.diagnostics = report.diagnostics;
    std::vector<model::Sample> samples;
    if (one.runs()) {
      samples = HONE_TRY(measure(one, bestNs));
    }
    return log_.add(trial, samples);
  }
  auto samples = HONE_TRY(measure(one, bestNs));
  std::vector<store::TrialSample> again;
  for (model::Sample& sample : samples) {
    sample.round = 1;  // next to the sample of the first call
    again.push_back({trial.id, sample});
  }
  HONE_CHECK(log_.addSamples(again));
  HONE_CHECK(log_.saveDetails(trial));
  return log_.setOutcome(trial.id, trial.outcome, trial.message);
}

Result<void> CallTrials::eliminateSlow(CallTrial& one, double bestNs) {
  if (!one.runs() || !one.screenNs() || !isTooSlow(*one.screenNs(), bestNs)) {
    return {};
  }
  one.trial.outcome = Outcome::tooSlow;
  one.trial.message = tooSlowMessage(*one.screenNs(), bestNs);
  return log_.setOutcome(one.trial.id, one.trial.outcome, one.trial.message);
}

Result<void> CallTrials::verify(CallTrial& one, Verifier& verifier) {
  store::Trial& trial = one.trial;
  if (!one.runs() || !trial.details.verified.empty()) {
    return {};
  }
  const Verification verification = HONE_TRY(verifier.check(one.call));
  trial.details.verified = nameOf(verification.expectation);
  HONE_CHECK(log_.saveDetails(trial));
  if (verification.outcome == Outcome::ok) {
    return {};
  }
  trial.outcome = verification.outcome;
  trial.message = verification.message;
  return log_.setOutcome(trial.id, trial.outcome, trial.message);
}

Result<void> CallTrials::addTwin(CallTrial& twin, const CallTrial& of) {
  if (adopt(twin)) {
    return {};
  }
  twin.screenTimesNs = of.screenTimesNs;
  twin.trial.outcome = of.trial.outcome;
  twin.trial.message = of.trial.message;
  twin.trial.details = of.trial.details;
  if (twin.trial.id != 0) {
    return log_.saveDetails(twin.trial);
  }
  return log_.add(twin.trial, {});
}

Participant CallTrials::participant(const CallTrial& one) const {
  return callParticipant(one.trial.id, sampler_, one.call, choosePace(one.screenNs().value_or(0)));
}

}  // namespace hone::engine
