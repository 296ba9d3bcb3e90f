#include "split/contender.h"

namespace hone::split {

using model::Outcome;

namespace {

/// What takes so many times as long as the best at its first call is not worth another one. Short
/// first calls are rough, long ones are not, and cost more.
double hopeless(double toBeatNs) {
  constexpr double kLongNs = 0.3e9;
  return toBeatNs < kLongNs ? 3 : 1.5;
}
/// What a process may take to start and to read its inputs.
constexpr double kStartNs = 0.5e9;
/// Calls that take longer are what they are in a fresh process, too.
constexpr double kLongCallNs = 0.1e9;

/// How long the process of a first call is waited for.
std::optional<std::chrono::milliseconds> patienceFor(double toBeatNs) {
  if (toBeatNs <= 0) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(
      static_cast<std::int64_t>((kStartNs + hopeless(toBeatNs) * toBeatNs) / 1e6));
}

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
    contender.stopped = trial.details.value("stopped", false);
    return {};
  }
  trial.outcome = iree::outcomeOf(report.status);
  trial.message = report.message;
  trial.diagnostics = report.diagnostics;
  std::vector<model::Sample> samples;
  if (contender.runs()) {
    const auto patience = patienceFor(toBeatNs);
    trial::Measurement look = HONE_TRY(sampler_.takeFirst(contender.call, patience));
    trial.outcome = look.outcome;
    trial.message = look.message;
    trial.diagnostics += look.diagnostics;
    samples = std::move(look.samples);
    if (look.outcome == Outcome::runTimeout && patience) {
      contender.stopped = true;
      contender.lookNs = hopeless(toBeatNs) * toBeatNs;
      trial.outcome = Outcome::tooSlow;
      trial.message =
          fmt::format("stopped: more than {}x the best at first look", hopeless(toBeatNs));
      trial.details["stopped"] = true;
      trial.details["look_ns"] = contender.lookNs;
    }
  }
  if (contender.runs()) {
    contender.lookNs = trial::rankTime(samples, sampler_.rankBy());
    trial.details["look_ns"] = contender.lookNs;
    if (toBeatNs > 0 && contender.lookNs > hopeless(toBeatNs) * toBeatNs) {
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
  trial::Pace pace = trial::paceOf(contender.lookNs);
  pace.warmUp = contender.lookNs < kLongCallNs;
  return callParticipant(contender.trial.id, sampler_, contender.call, pace);
}

}  // namespace hone::split
