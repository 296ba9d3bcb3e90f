#include "engine/rounds/round_loop.h"

namespace hone::engine {

Result<void> runRounds(Rounds& rounds, std::span<const Participant> participants,
                       RoundPolicy& policy, const RoundLoopOptions& options) {
  for (std::int64_t number = 0; !options.outOfTime || !options.outOfTime(number); ++number) {
    const auto order = policy.next(number);
    if (order.empty()) {
      break;
    }
    policy.add(HONE_TRY(rounds.take(options.first + number, participants, order)));
    if (options.onRound) {
      options.onRound();
    }
  }
  return {};
}

}  // namespace hone::engine
