#include "split/contender.h"

namespace hone::split {

using model::Outcome;

namespace {

/// First calls are rough; what takes so many times as long as the best is not worth another one.
constexpr double kHopeless = 3;

}  // namespace

Result<void> Contenders::restore() {
  for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    trials_.emplace(trial.key, std::move(trial));
  }
  recorded_ = HONE_TRY(store_.samples(run_));
  return {};
}

Result<void> Contenders::verify(Contender& contender, trial::Verifier& verifier) const {
  const trial::Verification verification = HONE_TRY(verifier.check(contender.call));
  contender.trial.outcome = verification.outcome;
  contender.trial.message = verification.message;
  contender.trial.diagnostics += verification.diagnostics;
  contender.trial.details["verified"] = nameOf(verification.against);
  return {};
}

Result<void> Contenders::add(Contender& contender, const iree::CompileReport& report,
                             trial::Verifier& verifier, double toBeatNs) {
  store::Trial& trial = contender.trial;
  if (const auto before = trials_.find(trial.key); before != trials_.end()) {
    trial = before->second;
    contender.lookNs = trial.details.value("look_ns", 0.0);
    return {};
  }
  trial.outcome = iree::outcomeOf(report.status);
  trial.message = report.message;
  trial.diagnostics = report.diagnostics;
  std::vector<model::Sample> samples;
  if (contender.runs()) {
    trial::Measurement look = HONE_TRY(sampler_.takeFirst(contender.call));
    trial.outcome = look.outcome;
    trial.message = look.message;
    trial.diagnostics += look.diagnostics;
    samples = std::move(look.samples);
  }
  if (contender.runs()) {
    contender.lookNs = sampler_.rankTime(samples);
    trial.details["look_ns"] = contender.lookNs;
    if (toBeatNs > 0 && contender.lookNs > kHopeless * toBeatNs) {
      trial.outcome = Outcome::tooSlow;
      trial.message = fmt::format("{:.1f}x the best at first look", contender.lookNs / toBeatNs);
    } else {
      HONE_CHECK(verify(contender, verifier));
    }
  }
  trial.id = HONE_TRY(store_.addTrial(run_, trial, samples));
  trials_.emplace(trial.key, trial);
  return {};
}

trial::Participant Contenders::participant(const Contender& contender) const {
  return callParticipant(contender.trial.id, sampler_, contender.call,
                         trial::paceOf(contender.lookNs));
}

}  // namespace hone::split
