#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "engine/rounds/rounds.h"

namespace hone::kernel {

/// How the racers of a turn did; index 0 is the original.
struct TurnRace {
  std::vector<std::size_t> ranking;             ///< those left at the end, the quickest first
  std::vector<std::optional<double>> speedups;  ///< over the original, of the same rounds
  std::vector<double> timesNs;                  ///< medians; 0 for who never finished a round
};

/// Rounds of one race are numbered from here on: the original takes part in every turn's.
[[nodiscard]] std::int64_t firstRoundOf(std::size_t turn);

/// Races the participants side by side, the first of them the original, until one is
/// significantly faster or the rounds are used up. Rounds that were recorded before are not
/// measured again. `stage` is what the progress calls it.
[[nodiscard]] Result<TurnRace> raceTurn(engine::Rounds& rounds,
                                        std::span<const engine::Participant> participants,
                                        std::size_t turn, std::uint64_t seed,
                                        std::string_view stage, Progress& progress);

}  // namespace hone::kernel
