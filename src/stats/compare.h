#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hone::stats {

struct Interval {
  double low = 0;
  double estimate = 0;
  double high = 0;
};

/// Percentile bootstrap of the median of the values; deterministic for a seed. The median, although
/// Hodges-Lehmann is better on normal noise: on a shared machine a pair in three holds a spike, and
/// there the simulations found a 10 % gain in 97 % of cases by the median and in 60 % by the other.
[[nodiscard]] Interval bootstrapMedian(std::span<const double> values, double confidence,
                                       std::uint64_t seed, std::size_t resamples = 2000);

enum class Verdict : std::uint8_t { improved, neutral, regressed, ambiguous };

[[nodiscard]] std::string_view nameOf(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdictFrom(std::string_view name);

/// Times of the same rounds, index by index: each entry of one is a neighbour in time of the same
/// entry of the others.
struct PairedTimes {
  std::span<const double> baseline;
  std::span<const double> candidate;
  std::span<const double> twin;  ///< the baseline once more; its difference is pure noise
};

struct CompareOptions {
  double margin = 0.01;  ///< smaller relative differences do not count
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

/// speedup = baseline / candidate: above 1 the candidate is faster.
struct Comparison {
  Verdict verdict = Verdict::ambiguous;
  Interval speedup;
  double floor = 0;  ///< relative difference that baseline and twin showed: the noise of this run
  std::size_t rounds = 0;
};

/// `improved` (or `regressed`): the whole interval lies beyond the margin and beyond the floor.
/// `neutral`: the whole interval lies within the margin; noise makes nothing equal, so the floor
/// does not widen it. Otherwise, and with fewer than 5 rounds, `ambiguous`: more rounds may tell.
[[nodiscard]] Comparison compare(const PairedTimes& times, const CompareOptions& options = {});

/// Times that were not taken side by side: of two runs, of two machines.
struct ApartTimes {
  std::span<const double> before;
  std::span<const double> after;
  double floor = 0;  ///< relative difference that things known to be alike show between the two
};

/// The same verdicts on the ratio of the two medians (before / after: above 1 it got faster). Each
/// side is drawn anew on its own, so the interval is wider than that of paired rounds; what differs
/// between the two as a whole, a busier machine for one, only the floor can tell.
[[nodiscard]] Comparison compareApart(const ApartTimes& times, const CompareOptions& options = {});

}  // namespace hone::stats
