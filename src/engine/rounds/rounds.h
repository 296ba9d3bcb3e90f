#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/rounds/sampler.h"
#include "engine/trial_log.h"
#include "iree/run/execution.h"
#include "model/result/sample.h"

namespace hone::engine {

/// Starts one fresh process of a candidate and takes its samples.
using Timer = std::function<Result<Measurement>(const TimeSlot& slot)>;

/// A trial that takes part in rounds.
struct Participant {
  std::int64_t trial = 0;
  Timer time;
};

/// Times of one round, indexed by participant; nullopt if it did not run or failed.
using RoundTimes = std::vector<std::optional<double>>;

/// Returns a participant that calls a compiled program at the given pace. The sampler must outlive
/// it.
[[nodiscard]] Participant callParticipant(std::int64_t trial, const Sampler& sampler,
                                          const iree::Call& call, const Pace& pace);

/// Measures rounds of one stage: the participants side by side, each in a fresh process, with one
/// commit per round. Recorded rounds are read from the log, so an interrupted run can continue.
class Rounds {
 public:
  /// The log must outlive this object.
  Rounds(iree::RankBy rankBy, TrialLog& log, model::Stage stage)
      : rankBy_(rankBy), log_(log), stage_(stage) {}

  /// Returns the round to start with: the first recorded one with all participants. If there is
  /// none, the one after the last recorded round with any of them.
  [[nodiscard]] std::int64_t firstRound(std::span<const Participant> participants) const;

  /// Measures a round in the given order of participant indices, or reads it from the log. Records
  /// failures as outcomes of their trials.
  [[nodiscard]] Result<RoundTimes> take(std::int64_t round,
                                        std::span<const Participant> participants,
                                        std::span<const std::size_t> order);

 private:
  [[nodiscard]] std::vector<model::Sample> recorded(std::int64_t trial, std::int64_t round) const;

  iree::RankBy rankBy_;
  TrialLog& log_;
  model::Stage stage_;
};

/// Returns the times of a trial in one stage, by round.
[[nodiscard]] std::map<std::int64_t, double> roundTimes(const TrialLog& log, std::int64_t trial,
                                                        model::Stage stage, iree::RankBy rankBy);

/// Message of a trial that passed screening but lost the race or was not among its participants.
/// Its outcome stays `ok`.
inline constexpr const char* kNotBest = "not best";

/// Records that these trials lost the race. Keeps the outcome of trials that failed in it.
[[nodiscard]] Result<void> recordLosers(TrialLog& log, std::span<const std::int64_t> losers);

/// Returns the indices 0 to count-1 in an order that depends only on the seed and the round.
[[nodiscard]] std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed,
                                                std::int64_t round);

}  // namespace hone::engine
