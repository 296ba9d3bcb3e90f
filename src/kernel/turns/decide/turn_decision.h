#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "kernel/turns/decide/turn_race.h"
#include "kernel/turns/trials/history.h"
#include "kernel/turns/trials/kernel_trials.h"

namespace hone::kernel {

/// Returns the candidates of a turn to race: correct and timed ones, the fastest first.
[[nodiscard]] std::vector<Entry*> selectRacers(std::deque<Entry>& judged, std::size_t turn);

/// Records the winner of a race and its gain over `before`, the best kernel so far.
void setWinner(TurnRecord& record, const std::vector<Entry*>& racers, const Entry& before,
               const TurnRace& race);

/// Records the kernel with the lowest estimated cost, if kernels cannot be timed, and its gain over
/// `before`. Returns the cost relative to the original; nothing if no kernel has an estimate.
std::optional<double> setLowestEstimate(TurnRecord& record, const std::deque<Entry>& judged,
                                        const Entry& before);

}  // namespace hone::kernel
