#include "engine/plan/final_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/machine_lock.h"
#include "engine/program/model_runtime.h"
#include "engine/rounds/round_policies.h"
#include "engine/rounds/rounds.h"
#include "engine/rounds/screening.h"

namespace hone::engine {
namespace {

using iree::CompileRequest;
using model::Outcome;
using model::Stage;
using Route = CompileRequest::Route;
using Indices = std::vector<std::size_t>;

/// Fraction of the time budget after which the race stops.
constexpr double kRaceShare = 0.8;
/// Maximum rounds of an ambiguous final, as a multiple of the planned rounds.
constexpr std::int64_t kMaxExtension = 3;
/// Rounds measured even if the time budget is used up.
constexpr std::int64_t kMinRounds = 6;

/// Returns true if the entry is measured without a warm-up.
bool isCold(const SessionState& state, const SessionEntry& entry) {
  // Next to a cold baseline, a warm candidate that is hardly faster would look too good.
  const auto wouldGain = [&](const SessionEntry& other) {
    return other.passed && other.screenNs <= kLongCallNs && 2 * other.screenNs > state.baselineNs();
  };
  const double ns = &entry == &state.twin ? state.baselineNs() : entry.screenNs;
  return !state.pace->warmUp && ns > kLongCallNs && std::ranges::none_of(state.entries, wouldGain);
}

Participant makeParticipant(const SessionState& state, const SessionEntry& entry) {
  Pace pace = *state.pace;
  pace.warmUp = !isCold(state, entry);
  Participant one = callParticipant(entry.trial, state.sampler, entry.call, pace);
  one.time = [&state, time = std::move(one.time)](const TimeSlot& slot) -> Result<Measurement> {
    Measurement measurement = HONE_TRY(time(slot));
    HONE_CHECK(state.expectDevice(measurement.outcome));
    return measurement;
  };
  return one;
}

/// Returns the participant that runs the model with ONNX Runtime; nullopt if the plan does not want
/// it or it cannot run. Records its trial.
Result<std::optional<Participant>> makeAlternative(SessionState& state) {
  const Program& program = state.plan.programs.front();
  const auto runtime = ModelRuntime::find(state.runner);
  if (!state.plan.alternative || program.model.empty() || !runtime) {
    return std::nullopt;
  }
  SessionEntry& entry = state.alternative;
  if (entry.trial == 0) {
    store::Trial trial;
    trial.key = entry.key;
    trial.problem = program.label();
    trial.config = entry.candidate.config;
    trial.details.scope = state.plan.scope;
    HONE_CHECK(state.tools.log.add(trial, {}));
    entry.trial = trial.id;
  }
  const Inputs& inputs = state.plan.inputs;
  const auto probe = runtime->time(program, inputs, 1, 3);
  if (!probe) {
    if (probe.error().fault != Fault::user) {
      return std::unexpected(probe.error());
    }
    HONE_CHECK(state.tools.log.setOutcome(entry.trial, Outcome::runFailed, probe.error().message));
    return std::nullopt;
  }
  const Pace pace = choosePace(*std::ranges::min_element(probe->wallNs));
  const auto time = [&program, &inputs, runtime = *runtime,
                     pace](const TimeSlot& slot) -> Result<Measurement> {
    Measurement measurement;
    const auto times = runtime.time(program, inputs, pace.iterations, pace.repetitions);
    if (!times && times.error().fault != Fault::user) {
      return std::unexpected(times.error());
    }
    if (!times) {
      measurement.outcome = Outcome::runFailed;
      measurement.message = times.error().message;
      return measurement;
    }
    for (std::size_t i = 0; i < times->wallNs.size(); ++i) {
      measurement.samples.push_back({slot.stage, slot.round, slot.position,
                                     static_cast<std::int64_t>(i), times->wallNs[i],
                                     times->cpuNs[i], pace.iterations});
    }
    return measurement;
  };
  return Participant{entry.trial, time};
}

/// Compiles the candidates that an earlier process tried.
Result<void> compileMissing(SessionState& state, const Indices& which) {
  Indices missing;
  std::ranges::copy_if(which, std::back_inserter(missing),
                       [&](std::size_t index) { return state.entries[index].call.module.empty(); });
  const auto compiled = HONE_TRY(state.compile(missing, routeFor(state.plan)));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    SessionState::setModule(state.entries[missing[i]], compiled[i]);
  }
  return {};
}

/// Records why candidates that passed their own screening do not race: the best one came later, or
/// there are too many.
Result<void> recordNotRacing(SessionState& state, const Indices& racers) {
  const double best = state.incumbentNs();
  for (std::size_t i = 1; i < state.entries.size(); ++i) {
    const auto& entry = state.entries[i];
    if (!entry.passed || std::ranges::find(racers, i) != racers.end()) {
      continue;
    }
    HONE_CHECK(isTooSlow(entry.screenNs, best)
                   ? state.tools.log.setOutcome(entry.trial, Outcome::tooSlow,
                                                tooSlowMessage(entry.screenNs, best))
                   : recordLosers(state.tools.log, std::array{entry.trial}));
  }
  return {};
}

/// Races the candidates and returns the finalists.
Result<Indices> race(SessionState& state) {
  const Plan& plan = state.plan;
  Indices racers = state.passedCandidates();
  if (plan.selects) {
    HONE_CHECK(recordNotRacing(state, racers));
  }
  HONE_CHECK(compileMissing(state, racers));
  if (!plan.selects || racers.size() <= plan.finalists) {
    return racers;
  }
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  std::vector<Participant> participants = {makeParticipant(state, state.baseline())};
  for (const std::size_t index : racers) {
    participants.push_back(makeParticipant(state, state.entries[index]));
  }
  stats::RaceOptions options;
  options.keep = plan.finalists;
  options.seed = plan.seed;
  RacePolicy policy(participants.size(), options);
  Rounds rounds(state.sampler.rankBy(), state.tools.log, Stage::race);
  Progress& progress = state.tools.progress;
  progress.stage("race", {.total = static_cast<std::int64_t>(options.maxRounds),
                          .atMost = state.clock.leftUntil(kRaceShare)});
  RoundLoopOptions loop;
  loop.first = rounds.firstRound(participants);
  loop.outOfTime = [&](std::int64_t /*rounds*/) { return state.clock.spent(kRaceShare); };
  loop.onRound = [&] { progress.step(fmt::format("{} left", policy.race().ranking().size())); };
  HONE_CHECK(runRounds(rounds, participants, policy, loop));
  Indices finalists;
  std::vector<std::int64_t> losers;
  for (const std::size_t racer : policy.race().ranking()) {
    if (racer > 0 && finalists.size() < plan.finalists) {
      finalists.push_back(racers[racer - 1]);
    }
  }
  for (const std::size_t index : racers) {
    if (std::ranges::find(finalists, index) == finalists.end()) {
      losers.push_back(state.entries[index].trial);
    }
  }
  HONE_CHECK(recordLosers(state.tools.log, losers));
  return finalists;
}

/// Verifies the call on all inputs of the plan.
Result<Verification> checkFinalist(SessionState& state, const iree::Call& call) {
  Verification verification = HONE_TRY(state.verifier.check(call));
  if (verification.outcome == Outcome::ok && state.otherVerifier) {
    iree::Call other = call;
    other.inputs = state.plan.otherInputs->arguments;
    verification = HONE_TRY(state.otherVerifier->check(other));
  }
  return verification;
}

/// Compiles the baseline and the finalists into separate modules, as a user would, and verifies
/// them. Returns the finalists that passed.
Result<Indices> rebuildFinalists(SessionState& state, const Indices& finalists) {
  Indices which = {0};
  which.insert(which.end(), finalists.begin(), finalists.end());
  std::vector<iree::Compiled> compiled;
  if (routeFor(state.plan) == Route::batched) {
    compiled = HONE_TRY(state.compile(which, Route::shared));
  }
  Indices passed;
  for (std::size_t i = 0; i < which.size(); ++i) {
    SessionEntry& entry = state.entries[which[i]];
    Verification verification;
    if (!compiled.empty()) {
      entry.call.module = compiled[i].module;
      entry.call.function = state.plan.programs[entry.candidate.program].function;
      verification.outcome = iree::toOutcome(compiled[i].report.status);
      verification.message = compiled[i].report.message;
    }
    if (verification.outcome == Outcome::ok && (!compiled.empty() || state.otherVerifier)) {
      verification = HONE_TRY(checkFinalist(state, entry.call));
    }
    if (verification.outcome != Outcome::ok) {
      HONE_CHECK(state.expectDevice(verification.outcome));
      HONE_CHECK(
          state.tools.log.setOutcome(entry.trial, verification.outcome, verification.message));
      if (i == 0) {
        return userError("the baseline gives a different result when compiled separately: {}",
                         verification.message);
      }
    } else if (i > 0) {
      passed.push_back(which[i]);
    }
  }
  state.twin.call = state.baseline().call;
  return passed;
}

/// Measures the finalists side by side with the baseline and its twin.
Result<void> measureFinal(SessionState& state, const Indices& finalists) {
  const Plan& plan = state.plan;
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  std::vector<Participant> participants = {makeParticipant(state, state.baseline())};
  const auto alternative = HONE_TRY(makeAlternative(state));
  if (!finalists.empty() || alternative) {
    participants.push_back(makeParticipant(state, state.twin));
  }
  for (const std::size_t index : finalists) {
    participants.push_back(makeParticipant(state, state.entries[index]));
  }
  if (alternative) {
    participants.push_back(*alternative);
  }
  Rounds rounds(state.sampler.rankBy(), state.tools.log, Stage::final);
  FinalOptions options;
  options.rounds = plan.rounds;
  options.maxRounds = kMaxExtension * plan.rounds;
  options.compare = plan.compare;
  options.compare.seed = plan.seed;
  FinalPolicy policy(participants.size(), options);
  std::int64_t taken = 0;
  RoundLoopOptions loop;
  loop.first = rounds.firstRound(participants);
  loop.outOfTime = [&](std::int64_t number) {
    return number >= kMinRounds && state.clock.spent(1.0);
  };
  Progress& progress = state.tools.progress;
  loop.onRound = [&] {
    progress.step(plan.scope);
    if (++taken % plan.rounds == 0) {
      progress.stage("final, still ambiguous", plan.rounds);
    }
  };
  progress.stage("final", plan.rounds);
  HONE_CHECK(runRounds(rounds, participants, policy, loop));
  const auto& result = policy.result();
  state.baseline().roundTimesNs = result.front().timesNs;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    SessionEntry& entry = state.entries[finalists[i]];
    entry.roundTimesNs = result[i + 2].timesNs;
    entry.comparison = result[i + 2].comparison;
  }
  if (alternative) {
    state.alternative.roundTimesNs = result.back().timesNs;
    state.alternative.comparison = result.back().comparison;
  }
  return {};
}

}  // namespace

Result<void> raceAndProve(SessionState& state) {
  Indices finalists = HONE_TRY(race(state));
  if (state.plan.onlyGains && finalists.empty()) {
    return {};
  }
  finalists = HONE_TRY(rebuildFinalists(state, finalists));
  return measureFinal(state, finalists);
}

}  // namespace hone::engine
