#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hone::stats {

struct RaceOptions {
  std::size_t minRounds = 5;
  std::size_t maxRounds = 20;
  std::size_t keep = 3;  ///< stop when this many candidates are left
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

/// Selects the finalists among many candidates by successive elimination. Racer 0 is the baseline:
/// it runs in every round and is never dropped. The state depends only on the rounds added, so an
/// interrupted race is restored by adding the recorded rounds again.
///
/// The leader is the remaining racer, including the baseline, with the best median log ratio to the
/// baseline. Racers are dropped by a sign test of their paired log ratios to the leader, which is
/// robust against outliers. Its limits are calibrated over all rounds: a racer as fast as a
/// constant leader is dropped during the whole race with a probability of at most 1 - confidence.
class Race {
 public:
  Race(std::size_t racers, const RaceOptions& options);

  /// Returns the remaining racers, including the baseline, in this round's random order.
  [[nodiscard]] std::vector<std::size_t> order() const;
  /// Adds the times of one round, indexed by racer; nullopt if the racer did not run or failed.
  /// Drops racers that failed and, after `minRounds`, those significantly slower than the leader.
  void addRound(std::span<const std::optional<double>> times);
  /// Returns true after `maxRounds`, if no candidate is left, or if after `minRounds` at most
  /// `keep` are left.
  [[nodiscard]] bool done() const;
  [[nodiscard]] std::size_t rounds() const;
  [[nodiscard]] bool alive(std::size_t racer) const;
  /// Returns the remaining candidates, best median log ratio to the baseline first.
  [[nodiscard]] std::vector<std::size_t> ranking() const;

 private:
  void dropSlow();
  /// Counts the rounds in which `racer` was slower than `leader`.
  [[nodiscard]] std::size_t countLosses(std::size_t racer, std::size_t leader) const;
  /// Returns the median log ratio to the baseline; above 0 the racer is faster.
  [[nodiscard]] double medianGain(std::size_t racer) const;

  RaceOptions options_;
  std::vector<bool> alive_;
  double tail_ = 0;                  ///< significance level of the sign test in a single round
  std::vector<double> lossChances_;  ///< of 0, 1, … losses if racer and leader were equal
  std::vector<std::vector<std::optional<double>>> times_;  ///< [round][racer]
};

}  // namespace hone::stats
