#include "kernel/turns/turn_race.h"

#include "base/hash.h"
#include "stats/race.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

constexpr std::int64_t kRoundsATurn = 100;

stats::RaceOptions optionsFor(std::size_t turn, std::uint64_t seed) {
  stats::RaceOptions options;
  options.minRounds = 5;
  options.maxRounds = 12;
  options.keep = 1;
  options.seed = seedFrom(seed, std::to_string(turn));
  return options;
}

using Row = std::vector<std::optional<double>>;

/// The median of its ratios with the original in the rounds where both have a time.
std::optional<double> speedupOf(std::span<const Row> rows, std::size_t racer) {
  std::vector<double> ratios;
  for (const Row& row : rows) {
    if (row[0] && row[racer] && *row[racer] > 0) {
      ratios.push_back(*row[0] / *row[racer]);
    }
  }
  return ratios.empty() ? std::nullopt : std::optional(stats::median(ratios));
}

double timeOf(std::span<const Row> rows, std::size_t racer) {
  std::vector<double> times;
  for (const Row& row : rows) {
    if (row[racer]) {
      times.push_back(*row[racer]);
    }
  }
  return stats::median(times);
}

}  // namespace

std::int64_t firstRoundOf(std::size_t turn) {
  return static_cast<std::int64_t>(turn) * kRoundsATurn;
}

Result<TurnRace> raceTurn(engine::Rounds& rounds, std::span<const engine::Participant> participants,
                          std::size_t turn, std::uint64_t seed, std::string_view stage,
                          Progress& progress) {
  const stats::RaceOptions options = optionsFor(turn, seed);
  stats::Race race(participants.size(), options);
  std::vector<Row> rows;
  progress.stage(stage, static_cast<std::int64_t>(options.maxRounds));
  while (!race.done()) {
    const auto order = race.order();
    const std::int64_t round = firstRoundOf(turn) + static_cast<std::int64_t>(race.rounds());
    rows.push_back(HONE_TRY(rounds.take(round, participants, order)));
    race.addRound(rows.back());
    progress.step(fmt::format("{} left", race.ranking().size()));
  }
  TurnRace result;
  result.ranking = race.ranking();
  for (std::size_t racer = 0; racer < participants.size(); ++racer) {
    result.speedups.push_back(speedupOf(rows, racer));
    result.timesNs.push_back(timeOf(rows, racer));
  }
  return result;
}

}  // namespace hone::kernel
