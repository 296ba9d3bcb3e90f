#include "stats/race.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "stats/summary.h"

namespace hone::stats {
namespace {

/// Calibration is quadratic in the rounds; later tests add almost nothing to the risk.
constexpr std::size_t kMaxCalibratedRounds = 256;

bool isTime(const std::optional<double>& time) { return time && std::isfinite(*time) && *time > 0; }

/// Updates the probabilities of 0, 1, … heads for one more flip of a fair coin.
void flip(std::vector<double>& chances) {
  chances.push_back(0);
  for (std::size_t heads = chances.size() - 1; heads > 0; --heads) {
    chances[heads] = (chances[heads] + chances[heads - 1]) / 2;
  }
  chances[0] /= 2;
}

/// Returns the smallest number of heads whose upper tail probability is at most `tail`, or one more
/// than the number of flips if there is none.
std::size_t criticalHeads(const std::vector<double>& chances, double tail) {
  std::size_t heads = chances.size();
  double sum = 0;
  while (heads > 0 && sum + chances[heads - 1] <= tail) {
    sum += chances[--heads];
  }
  return heads;
}

/// Returns the probability that a fair coin reaches the critical number of heads in at least one
/// test, testing after every flip from `minRounds` to `maxRounds`.
double falseDropProbability(double tail, std::size_t minRounds, std::size_t maxRounds) {
  std::vector<double> all = {1};
  std::vector<double> remaining = {1};
  double dropped = 0;
  for (std::size_t round = 1; round <= maxRounds; ++round) {
    flip(all);
    flip(remaining);
    if (round < minRounds) {
      continue;
    }
    for (std::size_t heads = criticalHeads(all, tail); heads <= round; ++heads) {
      dropped += std::exchange(remaining[heads], 0.0);
    }
  }
  return dropped;
}

/// Returns the largest tail of a single test that keeps the probability over all tests within
/// `risk`.
double calibrateTail(double risk, std::size_t minRounds, std::size_t maxRounds) {
  constexpr int kSteps = 30;
  double low = 0;
  double high = risk;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (falseDropProbability(middle, minRounds, maxRounds) <= risk ? low : high) = middle;
  }
  return low;
}

}  // namespace

Race::Race(std::size_t racers, const RaceOptions& options)
    : options_(options), alive_(racers, true), lossChances_{1} {
  const std::size_t rounds = std::min(options.maxRounds, kMaxCalibratedRounds);
  tail_ = calibrateTail(std::clamp(1 - options.confidence, 0.0, 1.0), options.minRounds, rounds);
}

std::vector<std::size_t> Race::order() const {
  std::vector<std::size_t> remaining;
  for (std::size_t racer = 0; racer < alive_.size(); ++racer) {
    if (alive_[racer]) {
      remaining.push_back(racer);
    }
  }
  Random(Random(options_.seed).next() + rounds()).shuffle(std::span(remaining));
  return remaining;
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
  flip(lossChances_);
  if (rounds() >= options_.minRounds) {
    dropSlow();
  }
}

void Race::dropSlow() {
  const std::vector<std::size_t> best = ranking();
  if (best.empty()) {
    return;
  }
  const std::size_t leader = medianGain(best.front()) > 0 ? best.front() : 0;
  const std::size_t critical = criticalHeads(lossChances_, tail_);
  for (const std::size_t racer : best) {
    if (racer != leader && countLosses(racer, leader) >= critical) {
      alive_[racer] = false;
    }
  }
}

std::size_t Race::countLosses(std::size_t racer, std::size_t leader) const {
  std::size_t losses = 0;
  for (const auto& row : times_) {
    losses += row[racer] && row[leader] && *row[racer] > *row[leader] ? 1 : 0;
  }
  return losses;
}

double Race::medianGain(std::size_t racer) const {
  std::vector<double> gains;
  for (const auto& row : times_) {
    if (row[0] && row[racer]) {
      gains.push_back(std::log(*row[0] / *row[racer]));
    }
  }
  return median(gains);
}

bool Race::done() const {
  const auto remaining = static_cast<std::size_t>(std::count(alive_.begin(), alive_.end(), true));
  const bool noCandidates = remaining <= 1;
  const bool few = remaining <= options_.keep + 1 && rounds() >= options_.minRounds;
  return noCandidates || few || rounds() >= options_.maxRounds;
}

std::size_t Race::rounds() const { return times_.size(); }

bool Race::alive(std::size_t racer) const { return racer < alive_.size() && alive_[racer]; }

std::vector<std::size_t> Race::ranking() const {
  std::vector<std::pair<double, std::size_t>> gains;
  for (std::size_t racer = 1; racer < alive_.size(); ++racer) {
    if (alive_[racer]) {
      gains.emplace_back(-medianGain(racer), racer);
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
