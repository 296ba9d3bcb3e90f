#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/rounds/rounds.h"

namespace hone::engine {

/// Decides which participants the next round measures and when to stop. Depends only on the rounds
/// added, so an interrupted stage is restored by adding the recorded rounds.
class RoundPolicy {
 public:
  RoundPolicy() = default;
  RoundPolicy(const RoundPolicy&) = delete;
  RoundPolicy& operator=(const RoundPolicy&) = delete;
  RoundPolicy(RoundPolicy&&) = delete;
  RoundPolicy& operator=(RoundPolicy&&) = delete;
  virtual ~RoundPolicy() = default;

  /// Returns the participants of round `number`, counted from 0, in the order of measurement. Empty
  /// if no more rounds are needed.
  [[nodiscard]] virtual std::vector<std::size_t> next(std::int64_t number) = 0;
  virtual void add(const RoundTimes& times) = 0;
};

struct RoundLoopOptions {
  std::int64_t first = 0;  ///< number of the first round in the store
  /// Called with the number of rounds so far; returns true to end the loop. Optional.
  std::function<bool(std::int64_t rounds)> outOfTime;
  std::function<void()> onRound;  ///< called after each round; optional
};

/// Measures rounds, in fresh processes, until the policy stops or the time is used up. The only
/// driver of rounds: races, finals and profiles differ in their policy.
[[nodiscard]] Result<void> runRounds(Rounds& rounds, std::span<const Participant> participants,
                                     RoundPolicy& policy, const RoundLoopOptions& options = {});

}  // namespace hone::engine
