#include "kernel/turns/decide/turn_race.h"

#include "base/hash.h"
#include "engine/rounds/round_policies.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

constexpr std::int64_t kRoundsPerTurn = 100;

stats::RaceOptions optionsFor(std::size_t turn, std::uint64_t seed) {
  stats::RaceOptions options;
  options.minRounds = 5;
  options.maxRounds = 12;
  options.keep = 1;
  options.seed = seedFrom(seed, std::to_string(turn));
  return options;
}

/// Returns the median speedup over the original in the rounds where both have a time.
std::optional<double> medianSpeedup(std::span<const engine::RoundTimes> rows, std::size_t racer) {
  std::vector<double> ratios;
  for (const engine::RoundTimes& row : rows) {
    if (row[0] && row[racer] && *row[racer] > 0) {
      ratios.push_back(*row[0] / *row[racer]);
    }
  }
  return ratios.empty() ? std::nullopt : std::optional(stats::median(ratios));
}

double medianTime(std::span<const engine::RoundTimes> rows, std::size_t racer) {
  std::vector<double> times;
  for (const engine::RoundTimes& row : rows) {
    if (row[racer]) {
      times.push_back(*row[racer]);
    }
  }
  return stats::median(times);
}

}  // namespace

std::int64_t firstRound(std::size_t turn) {
  return static_cast<std::int64_t>(turn) * kRoundsPerTurn;
}

Result<TurnRace> raceTurn(const RaceRequest& request) {
  const stats::RaceOptions options = optionsFor(request.turn, request.seed);
  engine::RacePolicy policy(request.participants.size(), options);
  engine::RoundLoopOptions loop;
  loop.first = firstRound(request.turn);
  loop.onRound = [&] {
    request.progress.step(fmt::format("{} left", policy.race().ranking().size()));
  };
  loop.outOfTime = request.outOfTime;
  request.progress.stage(request.stage, static_cast<std::int64_t>(options.maxRounds));
  HONE_CHECK(engine::runRounds(request.rounds, request.participants, policy, loop));
  TurnRace result;
  result.ranking = policy.race().ranking();
  for (std::size_t racer = 0; racer < request.participants.size(); ++racer) {
    result.speedups.push_back(medianSpeedup(policy.rounds(), racer));
    result.timesNs.push_back(medianTime(policy.rounds(), racer));
  }
  return result;
}

}  // namespace hone::kernel
