#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/rounds/round_loop.h"
#include "stats/compare.h"
#include "stats/race.h"

namespace hone::engine {

/// Drops participants that are significantly slower than the leader. Participant 0 is the baseline
/// and is never dropped.
class RacePolicy : public RoundPolicy {
 public:
  RacePolicy(std::size_t participants, const stats::RaceOptions& options)
      : race_(participants, options) {}

  [[nodiscard]] std::vector<std::size_t> next(std::int64_t number) override;
  void add(const RoundTimes& times) override;

  [[nodiscard]] const stats::Race& race() const { return race_; }
  /// Returns the times of all rounds so far.
  [[nodiscard]] const std::vector<RoundTimes>& rounds() const { return rounds_; }

 private:
  stats::Race race_;
  std::vector<RoundTimes> rounds_;
};

struct FinalOptions {
  /// Verdicts are computed every `rounds` rounds, until none is ambiguous.
  std::int64_t rounds = 20;
  std::int64_t maxRounds = 60;
  stats::CompareOptions compare;
};

/// Times of one participant of a final.
struct FinalTimes {
  std::vector<double> timesNs;                  ///< one per round; empty if it failed in a round
  std::optional<stats::Comparison> comparison;  ///< with the baseline
};

/// Compares each participant with the baseline in paired rounds until no verdict is ambiguous or
/// the rounds are used up. Participant 0 is the baseline, participant 1 its twin, whose difference
/// is the noise floor. A baseline without others is only timed. Stops if the baseline fails.
class FinalPolicy : public RoundPolicy {
 public:
  FinalPolicy(std::size_t participants, FinalOptions options)
      : options_(options), all_(participants), failed_(participants, false) {}

  [[nodiscard]] std::vector<std::size_t> next(std::int64_t number) override;
  void add(const RoundTimes& times) override;

  /// Compares the rounds so far and returns one result per participant.
  [[nodiscard]] const std::vector<FinalTimes>& result();

 private:
  [[nodiscard]] bool compareAll();

  FinalOptions options_;
  std::vector<FinalTimes> all_;
  std::vector<bool> failed_;
};

struct PrecisionOptions {
  std::int64_t minRounds = 5;
  std::int64_t maxRounds = 20;
  /// Target half-width of each 95 % confidence interval, relative to the median.
  double precision = 0.02;
  /// After `minRounds`, participants this many times slower than the best are dropped; 0 keeps all.
  double dropFactor = 0;
  std::uint64_t seed = 1;
  /// Minimum screening time of each participant, or empty. If given, the minimum is measured
  /// instead of the median: it is precise once more than `minRounds` times, screening included, lie
  /// within `precision` of it. A busy machine only adds time, so the minimum needs fewer rounds.
  std::vector<double> screenNs{};
};

/// Measures until the time of every remaining participant is known to the requested precision, or
/// the rounds are used up.
class PrecisionPolicy : public RoundPolicy {
 public:
  PrecisionPolicy(std::size_t participants, PrecisionOptions options);

  [[nodiscard]] std::vector<std::size_t> next(std::int64_t number) override;
  void add(const RoundTimes& times) override;

  /// Returns the times of each participant, one per round in which it was measured; empty if it
  /// failed in one.
  [[nodiscard]] std::vector<std::vector<double>> take() { return std::move(times_); }

 private:
  /// Drops by the minimum, because on a busy machine medians of few rounds are wrong.
  void dropSlow();
  [[nodiscard]] double fastestNs(std::size_t index) const;
  [[nodiscard]] bool isPrecise(std::size_t index) const;

  PrecisionOptions options_;
  std::vector<std::vector<double>> times_;
  std::vector<std::size_t> running_;
  std::vector<std::size_t> measured_;  ///< in the current round
};

}  // namespace hone::engine
