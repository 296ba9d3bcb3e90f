#include "split/contender.h"

namespace hone::split {

using model::Outcome;

Result<void> Contenders::restore() {
  for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    trials_.emplace(trial.key, std::move(trial));
  }
  recorded_ = HONE_TRY(store_.samples(run_));
  return {};
}

Result<void> Contenders::add(Contender& contender, const iree::CompileReport& report,
                             trial::Verifier& verifier) {
  store::Trial& trial = contender.trial;
  if (const auto before = trials_.find(trial.key); before != trials_.end()) {
    trial = before->second;
    return {};
  }
  trial.outcome = iree::outcomeOf(report.status);
  trial.message = report.message;
  trial.diagnostics = report.diagnostics;
  if (contender.runs()) {
    const trial::Verification verification = HONE_TRY(verifier.check(contender.call));
    trial.outcome = verification.outcome;
    trial.message = verification.message;
    trial.diagnostics += verification.diagnostics;
    trial.details["verified"] = nameOf(verification.against);
  }
  trial.id = HONE_TRY(store_.addTrial(run_, trial, {}));
  trials_.emplace(trial.key, trial);
  return {};
}

Result<std::optional<trial::Participant>> Contenders::participant(Contender& contender) {
  if (!contender.runs()) {
    return std::nullopt;
  }
  auto pace = sampler_.paceFor(contender.call);
  if (!pace && pace.error().fault != Fault::user) {
    return std::unexpected(pace.error());
  }
  if (!pace) {
    contender.trial.outcome = Outcome::runFailed;
    contender.trial.message = pace.error().message;
    HONE_CHECK(
        store_.setOutcome(contender.trial.id, contender.trial.outcome, contender.trial.message));
    return std::nullopt;
  }
  return callParticipant(contender.trial.id, sampler_, contender.call, *pace);
}

}  // namespace hone::split
