#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/rounds/rounds.h"

namespace hone::engine {

/// Decides which participants the next round measures and when there were enough rounds. A pure
/// function of the rounds added to it: an interrupted stage continues by adding the recorded ones.
class RoundPolicy {
 public:
  RoundPolicy() = default;
  RoundPolicy(const RoundPolicy&) = delete;
  RoundPolicy& operator=(const RoundPolicy&) = delete;
  RoundPolicy(RoundPolicy&&) = delete;
  RoundPolicy& operator=(RoundPolicy&&) = delete;
  virtual ~RoundPolicy() = default;

  /// Returns the participants of round `number`, counted from 0, in the order of measuring; none:
  /// enough rounds.
  [[nodiscard]] virtual std::vector<std::size_t> next(std::int64_t number) = 0;
  virtual void add(const RoundTimes& times) = 0;
};

struct RoundLoopOptions {
  std::int64_t first = 0;  ///< number of the first round in the store
  /// Called with the rounds so far; true ends the loop. Not set: only the policy does.
  std::function<bool(std::int64_t rounds)> outOfTime;
  std::function<void()> onRound;  ///< called after each round, if set
};

/// Measures rounds of fresh processes until the policy has enough of them or the time is over. The
/// only driver of rounds: races, finals and profiles differ in their policy.
[[nodiscard]] Result<void> runRounds(Rounds& rounds, std::span<const Participant> participants,
                                     RoundPolicy& policy, const RoundLoopOptions& options = {});

}  // namespace hone::engine
