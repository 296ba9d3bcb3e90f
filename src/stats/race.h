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
  std::size_t keep = 3;  ///< stop when this few, besides the baseline, are left
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

/// Which of many candidates are worth a final. Racer 0 is the baseline: it takes part in every
/// round and is never dropped. A pure function of the rounds fed to it, so that a race that was
/// interrupted goes on by feeding the recorded rounds again.
///
/// The leader is the living racer, the baseline among them, with the best median of log ratios with
/// the baseline: who surely loses to the baseline is of no use either. A racer is dropped by a sign
/// test of its paired log ratios with the leader, which outliers cannot sway; its limits are
/// calibrated over all looks, so that one as fast as a leader that stays is lost in the whole race
/// with a chance of at most 1 - confidence.
class Race {
 public:
  Race(std::size_t racers, const RaceOptions& options);

  /// The racers still in it, in this round's random order (the baseline among them).
  [[nodiscard]] std::vector<std::size_t> order() const;
  /// The times of one round, index = racer; nothing for those not in it, or that failed (they are
  /// dropped). Drops whoever is, by paired log ratios with the leader, surely slower; not before
  /// `minRounds`.
  void addRound(std::span<const std::optional<double>> times);
  /// All rounds run, or after `minRounds` no more than `keep` left, or no candidate left at all.
  [[nodiscard]] bool done() const;
  [[nodiscard]] std::size_t rounds() const;
  [[nodiscard]] bool alive(std::size_t racer) const;
  /// The living without the baseline, best first, by the median of log ratios with the baseline.
  [[nodiscard]] std::vector<std::size_t> ranking() const;

 private:
  void dropSlow();
  /// In how many rounds the racer was slower than the leader.
  [[nodiscard]] std::size_t lossesTo(std::size_t racer, std::size_t leader) const;
  /// The median of log ratios with the baseline; above 0 the racer is faster.
  [[nodiscard]] double gainOf(std::size_t racer) const;

  RaceOptions options_;
  std::vector<bool> alive_;
  double tail_ = 0;            ///< of the sign test at a single look
  std::vector<double> heads_;  ///< chances of 0, 1, … losses if racer and leader were alike
  std::vector<std::vector<std::optional<double>>> times_;  ///< [round][racer]
};

}  // namespace hone::stats
