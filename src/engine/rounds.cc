#include "engine/rounds.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/hash.h"
#include "base/random.h"

namespace hone::engine {

Participant callParticipant(std::int64_t trial, const Sampler& sampler, const iree::Call& call,
                            const Pace& pace) {
  return {trial,
          [&sampler, call, pace](const TimeSlot& slot) { return sampler.take(call, pace, slot); }};
}

void Rounds::restore(std::span<const store::TrialSample> samples) {
  for (const store::TrialSample& entry : samples) {
    if (entry.sample.stage == stage_) {
      recorded_[entry.sample.round][entry.trial].push_back(entry.sample);
    }
  }
}

std::int64_t Rounds::firstFor(std::span<const Participant> participants) const {
  std::int64_t next = 0;
  for (const auto& [round, trials] : recorded_) {
    const auto there = std::count_if(
        participants.begin(), participants.end(),
        [&](const Participant& participant) { return trials.contains(participant.trial); });
    if (std::cmp_equal(there, participants.size())) {
      return round;
    }
    next = there > 0 ? round + 1 : next;
  }
  return next;
}

Result<RoundTimes> Rounds::take(std::int64_t round, std::span<const Participant> participants,
                                std::span<const std::size_t> order) {
  RoundTimes times(participants.size());
  bool before = false;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    const auto& ofRound = recorded_[round];
    if (const auto at = ofRound.find(participants[i].trial); at != ofRound.end()) {
      times[i] = rankTime(at->second, rankBy_);
      before = true;
    }
  }
  if (before) {
    return times;
  }
  std::vector<store::TrialSample> taken;
  for (std::size_t position = 0; position < order.size(); ++position) {
    const Participant& participant = participants[order[position]];
    const Measurement measurement =
        HONE_TRY(participant.time({stage_, round, static_cast<std::int64_t>(position)}));
    if (measurement.outcome != model::Outcome::ok) {
      HONE_CHECK(store_.setOutcome(participant.trial, measurement.outcome, measurement.message));
      continue;
    }
    times[order[position]] = rankTime(measurement.samples, rankBy_);
    for (const model::Sample& sample : measurement.samples) {
      taken.push_back({participant.trial, sample});
    }
  }
  HONE_CHECK(store_.addSamples(taken));
  return times;
}

Result<void> noteLosers(store::Store& store, std::int64_t run,
                        std::span<const std::int64_t> losers) {
  for (const store::TrialLine& trial : HONE_TRY(store.listTrials(run))) {
    if (trial.outcome == model::Outcome::ok &&
        std::find(losers.begin(), losers.end(), trial.id) != losers.end()) {
      HONE_CHECK(store.setOutcome(trial.id, model::Outcome::ok, kNotBest));
    }
  }
  return {};
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::int64_t round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(seedFrom(seed, std::to_string(round))).shuffle(std::span(order));
  return order;
}

}  // namespace hone::engine
