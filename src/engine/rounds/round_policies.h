#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/rounds/round_loop.h"
#include "stats/compare.h"
#include "stats/race.h"

namespace hone::engine {

/// Drops participants that are significantly slower than the leader; participant 0 is the baseline
/// and stays.
class RacePolicy : public RoundPolicy {
 public:
  RacePolicy(std::size_t participants, const stats::RaceOptions& options)
      : race_(participants, options) {}

  [[nodiscard]] std::vector<std::size_t> next(std::int64_t number) override;
  void add(const RoundTimes& times) override;

  [[nodiscard]] const stats::Race& race() const { return race_; }
  /// Returns the times of every round so far.
  [[nodiscard]] const std::vector<RoundTimes>& rounds() const { return rounds_; }

 private:
  stats::Race race_;
  std::vector<RoundTimes> rounds_;
};

struct FinalOptions {
  /// Verdicts are computed after this many rounds, and again after as many more while one is
  /// ambiguous.
  std::int64_t rounds = 20;
  std::int64_t maxRounds = 60;
  stats::CompareOptions compare;
};

/// One participant of a final.
struct PairedTimes {
  std::vector<double> timesNs;                  ///< one per round; none if it failed in a round
  std::optional<stats::Comparison> comparison;  ///< with the baseline
};

/// Compares each participant with the baseline, round by round, until every difference is proven or
/// the rounds are used up. Participant 0 is the baseline, 1 the baseline once more, whose
/// difference is the noise floor; without others only the baseline is timed. A baseline that fails
/// ends it.
class FinalPolicy : public RoundPolicy {
 public:
  FinalPolicy(std::size_t participants, FinalOptions options)
      : options_(options), all_(participants), failed_(participants, false) {}

  [[nodiscard]] std::vector<std::size_t> next(std::int64_t number) override;
  void add(const RoundTimes& times) override;

  /// Compares with the rounds so far and returns the result, one per participant.
  [[nodiscard]] const std::vector<PairedTimes>& result();

 private:
  [[nodiscard]] bool compareAll();

  FinalOptions options_;
  std::vector<PairedTimes> all_;
  std::vector<bool> failed_;
};

struct PrecisionOptions {
  std::int64_t minRounds = 5;
  std::int64_t maxRounds = 20;
  double precision = 0.02;  ///< rounds end when no interval is further from its median
  /// After `minRounds` a participant this many times slower than the best is measured no more; 0:
  /// all stay.
  double dropFactor = 0;
  std::uint64_t seed = 1;
};

/// Measures until every participant's median is known to the precision asked for.
class PrecisionPolicy : public RoundPolicy {
 public:
  PrecisionPolicy(std::size_t participants, PrecisionOptions options);

  [[nodiscard]] std::vector<std::size_t> next(std::int64_t number) override;
  void add(const RoundTimes& times) override;

  /// Returns the times of each participant, one per round; none for one that failed in a round.
  [[nodiscard]] std::vector<std::vector<double>> take() { return std::move(times_); }

 private:
  void dropSlow();
  [[nodiscard]] bool isPrecise() const;

  PrecisionOptions options_;
  std::vector<std::vector<double>> times_;
  std::vector<std::size_t> running_;
  std::vector<std::size_t> measured_;  ///< in the round under way
};

}  // namespace hone::engine
