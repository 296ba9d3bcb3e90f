#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/rounds/rounds.h"

namespace hone::kernel {

/// The result of a turn's race; index 0 is the original.
struct TurnRace {
  std::vector<std::size_t> ranking;             ///< remaining participants, fastest first
  std::vector<std::optional<double>> speedups;  ///< over the original, in the same rounds
  std::vector<double> timesNs;                  ///< medians; 0 if no round finished
};

/// Returns the number of the first round of a turn's race. Turns use disjoint numbers because the
/// original takes part in every race.
[[nodiscard]] std::int64_t firstRound(std::size_t turn);

/// The arguments of raceTurn.
struct RaceRequest {
  engine::Rounds& rounds;
  std::span<const engine::Participant> participants;  ///< the first is the original
  std::size_t turn = 0;
  std::uint64_t seed = 0;
  std::string_view stage;  ///< name of the race in the progress display
  Progress& progress;
  /// Called with the number of rounds so far; returns true to end the race early. Optional.
  std::function<bool(std::int64_t rounds)> outOfTime;
};

/// Races the participants until one is significantly faster, or no rounds or time are left. Reuses
/// recorded rounds.
[[nodiscard]] Result<TurnRace> raceTurn(const RaceRequest& request);

}  // namespace hone::kernel
