#include "engine/rounds/rounds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "base/hash.h"
#include "base/random.h"

namespace hone::engine {

Participant callParticipant(std::int64_t trial, const Sampler& sampler, const iree::Call& call,
                            const Pace& pace) {
  return {trial,
          [&sampler, call, pace](const TimeSlot& slot) { return sampler.take(call, pace, slot); }};
}

std::vector<model::Sample> Rounds::recorded(std::int64_t trial, std::int64_t round) const {
  std::vector<model::Sample> samples;
  std::ranges::copy_if(
      log_.samples(trial), std::back_inserter(samples),
      [&](const model::Sample& one) { return one.stage == stage_ && one.round == round; });
  return samples;
}

std::int64_t Rounds::firstRound(std::span<const Participant> participants) const {
  std::map<std::int64_t, std::set<std::int64_t>> trialsByRound;
  for (const Participant& participant : participants) {
    for (const model::Sample& sample : log_.samples(participant.trial)) {
      if (sample.stage == stage_) {
        trialsByRound[sample.round].insert(participant.trial);
      }
    }
  }
  std::int64_t next = 0;
  for (const auto& [round, trials] : trialsByRound) {
    if (trials.size() == participants.size()) {
      return round;
    }
    next = round + 1;
  }
  return next;
}

Result<RoundTimes> Rounds::take(std::int64_t round, std::span<const Participant> participants,
                                std::span<const std::size_t> order) {
  RoundTimes times(participants.size());
  bool isRecorded = false;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    if (const auto samples = recorded(participants[i].trial, round); !samples.empty()) {
      times[i] = rankTime(samples, rankBy_);
      isRecorded = true;
    }
  }
  if (isRecorded) {
    return times;
  }
  std::vector<store::TrialSample> taken;
  for (std::size_t position = 0; position < order.size(); ++position) {
    const Participant& participant = participants[order[position]];
    const Measurement measurement =
        HONE_TRY(participant.time({stage_, round, static_cast<std::int64_t>(position)}));
    if (measurement.outcome != model::Outcome::ok) {
      HONE_CHECK(log_.setOutcome(participant.trial, measurement.outcome, measurement.message));
      continue;
    }
    times[order[position]] = rankTime(measurement.samples, rankBy_);
    for (const model::Sample& sample : measurement.samples) {
      taken.push_back({participant.trial, sample});
    }
  }
  HONE_CHECK(log_.addSamples(taken));
  return times;
}

std::map<std::int64_t, double> roundTimes(const TrialLog& log, std::int64_t trial,
                                          model::Stage stage, iree::RankBy rankBy) {
  std::map<std::int64_t, std::vector<model::Sample>> samples;
  for (const model::Sample& sample : log.samples(trial)) {
    if (sample.stage == stage) {
      samples[sample.round].push_back(sample);
    }
  }
  std::map<std::int64_t, double> times;
  for (const auto& [round, some] : samples) {
    times[round] = rankTime(some, rankBy);
  }
  return times;
}

Result<void> recordLosers(TrialLog& log, std::span<const std::int64_t> losers) {
  for (const std::int64_t loser : losers) {
    const store::Trial* trial = log.find(loser);
    if (trial != nullptr && trial->outcome == model::Outcome::ok) {
      HONE_CHECK(log.setOutcome(loser, model::Outcome::ok, kNotBest));
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
