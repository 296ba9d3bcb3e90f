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

/// The result of a turn's race; index 0 is the original.
struct TurnRace {
  std::vector<std::size_t> ranking;             ///< remaining participants, fastest first
  std::vector<std::optional<double>> speedups;  ///< over the original, in the same rounds
  std::vector<double> timesNs;                  ///< medians; 0 if no round finished
};

/// Returns the number of the first round of a turn's race. Turns use disjoint numbers because the
/// original takes part in every race.
[[nodiscard]] std::int64_t firstRound(std::size_t turn);

/// Races the participants, the first of which is the original, until one is significantly faster or
/// no rounds are left. Reuses recorded rounds. `stage` names the race in the progress display.
[[nodiscard]] Result<TurnRace> raceTurn(engine::Rounds& rounds,
                                        std::span<const engine::Participant> participants,
                                        std::size_t turn, std::uint64_t seed,
                                        std::string_view stage, Progress& progress);

}  // namespace hone::kernel
