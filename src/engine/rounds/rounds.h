#pragma once

#include <cstdint>
#include <functional>
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

/// The times of one round, index = participant; nothing for those not in it, or that failed.
using RoundTimes = std::vector<std::optional<double>>;

/// One that calls a compiled program at the pace given; the sampler must outlive it.
[[nodiscard]] Participant callParticipant(std::int64_t trial, const Sampler& sampler,
                                          const iree::Call& call, const Pace& pace);

/// Rounds of one stage: the participants side by side, each in a fresh process, one commit a
/// round. A round that the store has already is taken from there: that is how a run goes on.
class Rounds {
 public:
  /// Rounds that the log has of this stage are not taken again. The log must outlive this.
  Rounds(iree::RankBy rankBy, TrialLog& log, model::Stage stage)
      : rankBy_(rankBy), log_(log), stage_(stage) {}

  /// The round to begin with: the first that has all of them, or, where another field was measured
  /// before, the one after the last that has any of them.
  [[nodiscard]] std::int64_t firstFor(std::span<const Participant> participants) const;

  /// The time of each participant in the round, measured in the order given (indices of
  /// participants; those not in it are left out). Nothing for who is not in it, or failed: that is
  /// noted in the store.
  [[nodiscard]] Result<RoundTimes> take(std::int64_t round,
                                        std::span<const Participant> participants,
                                        std::span<const std::size_t> order);

 private:
  [[nodiscard]] std::vector<model::Sample> recorded(std::int64_t trial, std::int64_t round) const;

  iree::RankBy rankBy_;
  TrialLog& log_;
  model::Stage stage_;
};

/// The message of a trial that passed screening and lost the race; its outcome stays `ok`.
inline constexpr const char* kNotBest = "not best";

/// Notes that these trials lost the race. A failure in one of its rounds stays noted.
[[nodiscard]] Result<void> noteLosers(TrialLog& log, std::span<const std::int64_t> losers);

/// The indices 0 to count-1 in an order that depends on the seed and the round only.
[[nodiscard]] std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed,
                                                std::int64_t round);

}  // namespace hone::engine
