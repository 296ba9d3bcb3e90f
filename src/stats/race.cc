#include "stats/race.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "stats/summary.h"

namespace hone::stats {
namespace {

/// Calibrating costs the square of the rounds; later looks add next to nothing to the risk.
constexpr std::size_t kMostLooks = 256;

bool isTime(const std::optional<double>& time) { return time && std::isfinite(*time) && *time > 0; }

/// One more flip of a fair coin: from the chances of 0, 1, … heads to those after the flip.
void flip(std::vector<double>& chances) {
  chances.push_back(0);
  for (std::size_t heads = chances.size() - 1; heads > 0; --heads) {
    chances[heads] = (chances[heads] + chances[heads - 1]) / 2;
  }
  chances[0] /= 2;
}

/// The fewest heads whose chance, with all above them, is at most `tail`; all and one if none.
std::size_t tooManyHeads(const std::vector<double>& chances, double tail) {
  std::size_t heads = chances.size();
  double sum = 0;
  while (heads > 0 && sum + chances[heads - 1] <= tail) {
    sum += chances[--heads];
  }
  return heads;
}

/// How often a fair coin shows too many heads at one look or more, when looked at after every flip
/// from `minRounds` to `maxRounds`.
double chanceOfFalseDrop(double tail, std::size_t minRounds, std::size_t maxRounds) {
  std::vector<double> all = {1};
  std::vector<double> living = {1};
  double dropped = 0;
  for (std::size_t round = 1; round <= maxRounds; ++round) {
    flip(all);
    flip(living);
    if (round < minRounds) {
      continue;
    }
    for (std::size_t heads = tooManyHeads(all, tail); heads <= round; ++heads) {
      dropped += std::exchange(living[heads], 0.0);
    }
  }
  return dropped;
}

/// The largest tail of a single look that keeps the chance over all looks within `risk`.
double tailOfOneLook(double risk, std::size_t minRounds, std::size_t maxRounds) {
  constexpr int kSteps = 30;
  double low = 0;
  double high = risk;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (chanceOfFalseDrop(middle, minRounds, maxRounds) <= risk ? low : high) = middle;
  }
  return low;
}

}  // namespace

Race::Race(std::size_t racers, const RaceOptions& options)
    : options_(options), alive_(racers, true), heads_{1} {
  const std::size_t looks = std::min(options.maxRounds, kMostLooks);
  tail_ = tailOfOneLook(std::clamp(1 - options.confidence, 0.0, 1.0), options.minRounds, looks);
}

std::vector<std::size_t> Race::order() const {
  std::vector<std::size_t> living;
  for (std::size_t racer = 0; racer < alive_.size(); ++racer) {
    if (alive_[racer]) {
      living.push_back(racer);
    }
  }
  Random(Random(options_.seed).next() + rounds()).shuffle(std::span(living));
  return living;
}

void Race::addRound(std::span<const std::optional<double>> times) {
  std::vector<std::optional<double>> row(alive_.size());
  for (std::size_t racer = 0; racer < alive_.size(); ++racer) {
    if (alive_[racer] && racer < times.size() && isTime(times[racer])) {
      row[racer] = times[racer];
    } else if (racer > 0) {
      alive_[racer] = false;
    }
  }
  times_.push_back(std::move(row));
  flip(heads_);
  if (rounds() >= options_.minRounds) {
    dropSlow();
  }
}

void Race::dropSlow() {
  const std::vector<std::size_t> best = ranking();
  if (best.empty()) {
    return;
  }
  const std::size_t leader = gainOf(best.front()) > 0 ? best.front() : 0;
  const std::size_t enough = tooManyHeads(heads_, tail_);
  for (const std::size_t racer : best) {
    if (racer != leader && lossesTo(racer, leader) >= enough) {
      alive_[racer] = false;
    }
  }
}

std::size_t Race::lossesTo(std::size_t racer, std::size_t leader) const {
  std::size_t losses = 0;
  for (const auto& row : times_) {
    losses += row[racer] && row[leader] && *row[racer] > *row[leader] ? 1 : 0;
  }
  return losses;
}

double Race::gainOf(std::size_t racer) const {
  std::vector<double> gains;
  for (const auto& row : times_) {
    if (row[0] && row[racer]) {
      gains.push_back(std::log(*row[0] / *row[racer]));
    }
  }
  return median(gains);
}

bool Race::done() const {
  const auto living = static_cast<std::size_t>(std::count(alive_.begin(), alive_.end(), true));
  const bool nobody = living <= 1;
  const bool few = living <= options_.keep + 1 && rounds() >= options_.minRounds;
  return nobody || few || rounds() >= options_.maxRounds;
}

std::size_t Race::rounds() const { return times_.size(); }

bool Race::alive(std::size_t racer) const { return racer < alive_.size() && alive_[racer]; }

std::vector<std::size_t> Race::ranking() const {
  std::vector<std::pair<double, std::size_t>> gains;
  for (std::size_t racer = 1; racer < alive_.size(); ++racer) {
    if (alive_[racer]) {
      gains.emplace_back(-gainOf(racer), racer);
    }
  }
  std::sort(gains.begin(), gains.end());
  std::vector<std::size_t> best;
  for (const auto& [loss, racer] : gains) {
    best.push_back(racer);
  }
  return best;
}

}  // namespace hone::stats
