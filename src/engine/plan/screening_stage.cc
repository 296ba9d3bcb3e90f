#include "engine/plan/screening_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "engine/machine_lock.h"
#include "engine/rounds/screening.h"

namespace hone::engine {
namespace {

using model::Outcome;

Result<void> checkBaseline(const SessionState& state, Outcome outcome, const std::string& message) {
  const Program& program = state.plan.programs.front();
  const std::string name = program.fileName();
  switch (outcome) {
    case Outcome::ok:
      return {};
    case Outcome::mismatch:
      return userError("{} computes a wrong result with the default config: {}", name, message);
    case Outcome::runTimeout:
      return userError("{} does not run on {}: {}; use --run-timeout to allow more time", name,
                       state.runner.device().name, message);
    case Outcome::runFailed:
      return userError("{} does not run on {}: {}", name, state.runner.device().name, message);
    default:
      return userError("{} does not compile: {}", name, program.describeFailure(message));
  }
}

/// Derives the pace of all rounds from the screening of the baseline and records it with the run.
Result<void> setPace(SessionState& state, std::span<const model::Sample> samples) {
  state.pace = choosePace(*screenTime(samples, iree::RankBy::wall));
  const TrialLog& log = state.tools.log;
  auto details = HONE_TRY(log.store().run(log.run()))->details;
  details.paces[state.scoped("pace")] = {.iterations = state.pace->iterations,
                                         .repetitions = state.pace->repetitions,
                                         .warmUp = state.pace->warmUp};
  return log.store().setDetails(log.run(), details);
}

Result<void> record(SessionState& state, SessionEntry& entry, store::Trial& trial,
                    std::span<const model::Sample> samples) {
  HONE_CHECK(state.tools.log.add(trial, samples));
  entry.trial = trial.id;
  return {};
}

Result<void> addTwin(SessionState& state) {
  SessionEntry& twin = state.twin;
  twin.call = state.baseline().call;
  if (twin.trial != 0) {
    return {};
  }
  store::Trial trial;
  trial.key = twin.key;
  trial.problem = state.plan.programs.front().label();
  trial.config = twin.candidate.config;
  trial.artifact = state.baseline().content;
  trial.details.twin = true;
  return record(state, twin, trial, {});
}

store::Trial compiledTrial(const SessionState& state, std::size_t index,
                           const iree::Compiled& compiled) {
  const SessionEntry& entry = state.entries[index];
  store::Trial trial;
  trial.key = entry.key;
  trial.problem = state.plan.programs[entry.candidate.program].label();
  trial.config = entry.candidate.config;
  trial.outcome = iree::toOutcome(compiled.report.status);
  trial.message = compiled.report.message;
  trial.diagnostics = compiled.report.diagnostics;
  if (trial.outcome == Outcome::ok && !compiled.ignored.empty()) {
    trial.outcome = Outcome::invalid;
    trial.message = compiled.ignored;
  }
  trial.artifact = compiled.content;
  trial.compileWallNs = compiled.report.ending.wallNs;
  trial.compileCpuNs = compiled.report.ending.cpuNs;
  trial.details.cached = compiled.cached;
  trial.details.atMs = utcMs();
  trial.details.scope = state.plan.scope;
  if (index >= state.plan.candidates.size()) {
    trial.details.proposal = state.plan.proposer->noteOn(entry.candidate.config);
  }
  return trial;
}

Result<void> verify(SessionState& state, const SessionEntry& entry, store::Trial& trial) {
  const Verification verification = HONE_TRY(state.verifier.check(entry.call));
  trial.outcome = verification.outcome;
  trial.message = verification.message;
  trial.diagnostics += verification.diagnostics;
  trial.details.verified = nameOf(verification.expectation);
  return state.expectDevice(trial.outcome);
}

Result<std::vector<model::Sample>> measure(SessionState& state, SessionEntry& entry,
                                           store::Trial& trial) {
  const double best = state.incumbentNs();
  const bool eliminates = state.plan.selects && best > 0;
  Measurement measurement =
      HONE_TRY(state.sampler.screen(entry.call, eliminates ? std::optional(best) : std::nullopt));
  HONE_CHECK(state.expectDevice(measurement.outcome));
  trial.outcome = measurement.outcome;
  trial.diagnostics += measurement.diagnostics;
  if (trial.outcome != Outcome::ok) {
    trial.message = measurement.message;
    return std::move(measurement.samples);
  }
  if (!state.pace) {
    HONE_CHECK(setPace(state, measurement.samples));
  }
  entry.screenNs = *screenTime(measurement.samples, state.sampler.rankBy());
  return std::move(measurement.samples);
}

/// Verifies the baseline again after a restart. Without a reference its results are the
/// expectation, which is not stored.
Result<void> recheckBaseline(SessionState& state) {
  const Verification again = HONE_TRY(state.verifier.check(state.baseline().call));
  HONE_CHECK(state.expectDevice(again.outcome));
  HONE_CHECK(checkBaseline(state, again.outcome, again.message));
  return addTwin(state);  // the run may have been killed before adding it
}

/// Returns true if the budget limits single candidates: the best one is sought. A comparison of
/// given programs needs all of them.
bool isBudgeted(const SessionState& state, std::size_t index) {
  return state.plan.selects && index != 0;
}

Result<void> screenOne(SessionState& state, std::size_t index, const iree::Compiled& compiled) {
  SessionEntry& entry = state.entries[index];
  SessionState::setModule(entry, compiled);
  if (entry.trial != 0) {
    return recheckBaseline(state);
  }
  store::Trial trial = compiledTrial(state, index, compiled);
  entry.content = trial.artifact;
  if (trial.outcome == Outcome::ok && adoptEqualBinary(state, entry, trial)) {
    return record(state, entry, trial, {});
  }
  const bool isBaseline = index == 0;
  state.runner.setDeadline(isBudgeted(state, index) ? state.clock.deadlineNs(1.0) : 0);
  std::vector<model::Sample> samples;
  if (trial.outcome == Outcome::ok) {
    HONE_CHECK(verify(state, entry, trial));
  }
  if (isBaseline) {
    HONE_CHECK(checkBaseline(state, trial.outcome, trial.message));
  }
  if (trial.outcome == Outcome::ok) {
    samples = HONE_TRY(measure(state, entry, trial));
  }
  if (isBaseline) {
    HONE_CHECK(checkBaseline(state, trial.outcome, trial.message));
  }
  state.runner.setDeadline(0);
  if (isBudgeted(state, index) && trial.outcome == Outcome::runTimeout && state.clock.spent(1.0)) {
    return {};  // stopped by the budget: says nothing about the candidate
  }
  judgeScreening(state, entry, trial);
  HONE_CHECK(record(state, entry, trial, samples));
  return isBaseline ? addTwin(state) : Result<void>();
}

Result<void> screenBatch(SessionState& state, std::span<const std::size_t> batch) {
  const double share = state.plan.screeningShare;
  const std::int64_t deadlineNs = state.plan.selects ? state.clock.deadlineNs(share) : 0;
  const auto compiled = HONE_TRY(state.compile(batch, routeFor(state.plan), deadlineNs));
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool timedOut = compiled[i].report.status == iree::CompileReport::Status::timedOut;
    if (isBudgeted(state, batch[i]) && state.clock.spent(timedOut ? 0.99 * share : 1.0)) {
      continue;  // not tried
    }
    HONE_CHECK(screenOne(state, batch[i], compiled[i]));
    state.tools.progress.best(state.bestText());
    state.tools.progress.step(state.plan.scope);
  }
  return {};
}

}  // namespace

bool adoptEqualBinary(const SessionState& state, SessionEntry& entry, store::Trial& trial) {
  const SessionEntry* other = state.plan.selects ? state.equalBinary(entry) : nullptr;
  if (other == nullptr) {
    return false;
  }
  entry.sameAs = other->key;
  trial.details.sameAs = other->key;
  if (const store::Trial* recorded = state.tools.log.find(other->key)) {
    trial.outcome = recorded->outcome;  // it would fail in the same way
  }
  trial.message = fmt::format("same binary as {}", other->candidate.config.name);
  return true;
}

void judgeScreening(const SessionState& state, SessionEntry& entry, store::Trial& trial) {
  entry.passed = false;
  if (trial.outcome == Outcome::ok) {
    const double best = state.incumbentNs();
    entry.passed = !state.plan.selects ||
                   !isTooSlow(entry.screenNs, best > 0 ? std::optional(best) : std::nullopt);
    if (!entry.passed) {
      trial.outcome = Outcome::tooSlow;
      trial.message = tooSlowMessage(entry.screenNs, best);
    }
  }
  trial.details.passed = entry.passed;
  trial.details.screenNs = entry.screenNs > 0 ? std::optional(entry.screenNs) : std::nullopt;
}

Result<void> screenCandidates(SessionState& state, std::span<const std::size_t> which) {
  std::vector<std::size_t> pending;
  for (const std::size_t index : which) {
    // The results of the baseline may be the expectation of the others.
    const bool needsBaseline = index == 0 && state.baseline().call.module.empty();
    if (state.entries[index].trial == 0 || needsBaseline) {
      pending.push_back(index);
    }
  }
  const std::size_t size = std::max<std::size_t>(state.plan.batch, 1);
  for (std::size_t at = 0; at < pending.size(); at += size) {
    const bool mayStop = pending[at] != 0;  // race and final need the baseline
    if (mayStop && state.clock.spent(state.plan.screeningShare)) {
      break;
    }
    HONE_CHECK(
        screenBatch(state, std::span(pending).subspan(at, std::min(size, pending.size() - at))));
  }
  return {};
}

}  // namespace hone::engine
