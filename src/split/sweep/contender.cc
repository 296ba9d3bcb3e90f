#include "split/sweep/contender.h"

#include <algorithm>

namespace hone::split {

using model::Outcome;

namespace {

/// What takes so many times as long as the best at its first call is not worth another one. Short
/// first calls are rough, long ones are not, and cost more.
double hopeless(double toBeatNs) {
  constexpr double kRoughNs = 0.02e9;
  constexpr double kLongNs = 0.1e9;
  constexpr double kCostlyNs = 1e9;
  return toBeatNs < kRoughNs ? 3 : toBeatNs < kLongNs ? 1.5 : toBeatNs < kCostlyNs ? 1.3 : 1.2;
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

Result<void> Contenders::look(Contender& contender, const iree::CompileReport& report,
                              double toBeatNs, double atLeastNs) {
  store::Trial& trial = contender.trial;
  if (const auto before = trials_.find(trial.key); before != trials_.end()) {
    trial = before->second;
    contender.lookNs = trial.details.lookNs.value_or(0);
    contender.stopped = trial.details.stopped;
    return {};
  }
  trial.outcome = iree::outcomeOf(report.status);
  trial.message = report.message;
  trial.diagnostics = report.diagnostics;
  std::vector<model::Sample> samples;
  if (contender.runs()) {
    const auto patience = patienceFor(toBeatNs);
    engine::Measurement look = HONE_TRY(sampler_.takeFirst(contender.call, patience));
    trial.outcome = look.outcome;
    trial.message = look.message;
    trial.diagnostics += look.diagnostics;
    samples = std::move(look.samples);
    if (contender.runs()) {
      contender.lookNs = engine::rankTime(samples, sampler_.rankBy());
    } else if (look.outcome == Outcome::runTimeout && patience) {
      giveUp(contender, std::max(atLeastNs, hopeless(toBeatNs) * toBeatNs),
             fmt::format("stopped: more than {}x the best at first look", hopeless(toBeatNs)));
    }
    trial.details.lookNs = contender.lookNs > 0 ? std::optional(contender.lookNs) : std::nullopt;
  }
  return add(contender, samples);
}

void Contenders::giveUp(Contender& contender, double boundNs, std::string why) {
  contender.stopped = true;
  contender.lookNs = boundNs;
  contender.trial.outcome = Outcome::tooSlow;
  contender.trial.message = std::move(why);
  contender.trial.details.stopped = true;
  contender.trial.details.lookNs = boundNs;
}

Result<void> Contenders::add(Contender& contender, std::span<const model::Sample> samples) {
  contender.trial.id = HONE_TRY(store_.addTrial(run_, contender.trial, samples));
  trials_.emplace(contender.trial.key, contender.trial);
  return {};
}

Result<void> Contenders::skip(Contender& contender, double boundNs, std::string why) {
  if (const auto before = trials_.find(contender.trial.key); before != trials_.end()) {
    return look(contender, {});
  }
  giveUp(contender, boundNs, std::move(why));
  return add(contender, {});
}

bool Contenders::isHopeless(const Contender& contender, double toBeatNs) {
  return contender.trial.outcome == Outcome::tooSlow ||
         (toBeatNs > 0 && contender.lookNs > hopeless(toBeatNs) * toBeatNs);
}

Result<void> Contenders::leaveHopeless(Contender& contender, double toBeatNs) {
  if (!contender.runs() || !isHopeless(contender, toBeatNs)) {
    return {};
  }
  store::Trial& trial = contender.trial;
  trial.outcome = Outcome::tooSlow;
  trial.message = fmt::format("{:.1f}x the best at first look", contender.lookNs / toBeatNs);
  return store_.setOutcome(trial.id, trial.outcome, trial.message);
}

Result<void> Contenders::verify(Contender& contender, engine::Verifier& verifier) {
  store::Trial& trial = contender.trial;
  if (!contender.runs() || !trial.details.verified.empty()) {
    return {};
  }
  const engine::Verification verification = HONE_TRY(verifier.check(contender.call));
  trial.outcome = verification.outcome;
  trial.message = verification.message;
  trial.details.verified = nameOf(verification.against);
  HONE_CHECK(store_.setTrialDetails(trial.id, trial.details));
  return contender.runs() ? Result<void>{}
                          : store_.setOutcome(trial.id, trial.outcome, trial.message);
}

Result<void> Contenders::addTwin(Contender& twin, const Contender& of) {
  if (const auto before = trials_.find(twin.trial.key); before != trials_.end()) {
    return look(twin, {});
  }
  twin.lookNs = of.lookNs;
  twin.trial.outcome = of.trial.outcome;
  twin.trial.message = of.trial.message;
  twin.trial.details = of.trial.details;
  return add(twin, {});
}

engine::Participant Contenders::participant(const Contender& contender) const {
  engine::Pace pace = engine::paceOf(contender.lookNs);
  pace.warmUp = contender.lookNs < kLongCallNs;
  return callParticipant(contender.trial.id, sampler_, contender.call, pace);
}

}  // namespace hone::split
