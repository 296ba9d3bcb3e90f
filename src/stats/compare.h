#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hone::stats {

struct Interval {
  double low = 0;
  double estimate = 0;
  double high = 0;
};

/// Returns the percentile bootstrap interval of the median; deterministic per seed. All zero for no
/// values.
///
/// Hodges-Lehmann is better on normal noise. On a shared machine, however, one pair in three
/// contains a spike. There, simulations detect a 10 % gain in 97 % of cases with the median and in
/// 60 % with Hodges-Lehmann.
[[nodiscard]] Interval bootstrapMedian(std::span<const double> values, double confidence,
                                       std::uint64_t seed, std::size_t resamples = 2000);

enum class Verdict : std::uint8_t { improved, neutral, regressed, ambiguous };

[[nodiscard]] std::string_view nameOf(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdictFrom(std::string_view name);

/// Times of the same rounds. Entries with the same index were measured close together in time.
struct PairedTimes {
  std::span<const double> baseline;
  std::span<const double> candidate;
  std::span<const double> twin;  ///< the baseline measured again; its difference is pure noise
};

struct CompareOptions {
  double margin = 0.01;  ///< relative differences below this are ignored
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

/// Outcome of a comparison.
struct Comparison {
  Verdict verdict = Verdict::ambiguous;
  Interval speedup;  ///< baseline / candidate; above 1 the candidate is faster
  /// Noise floor: the largest relative difference between baseline and twin within its confidence
  /// interval; 0 without a twin.
  double floor = 0;
  std::size_t rounds = 0;  ///< rounds in which both have a valid time
};

/// Compares paired times. The verdict is
/// - `improved` or `regressed` if the whole interval lies beyond both the margin and the floor,
/// - `neutral` if the whole interval lies within the margin, regardless of the floor,
/// - `ambiguous` otherwise, or with fewer than 5 rounds; more rounds may decide.
[[nodiscard]] Comparison compare(const PairedTimes& times, const CompareOptions& options = {});

/// Explains why the candidate is not `improved`: "the interval includes 1". Returns "" if it is.
[[nodiscard]] std::string explainNoGain(const Comparison& comparison);

/// Unpaired times, for example of two runs or two machines.
struct UnpairedTimes {
  std::span<const double> before;
  std::span<const double> after;
  double floor = 0;  ///< relative difference between the two for known-equal programs
};

/// Compares unpaired times by the ratio of their medians (before / after: above 1 is faster), with
/// the verdicts of compare(). Each side is resampled independently, so the interval is wider than
/// for paired rounds. Only the floor covers systematic differences, such as a busier machine.
[[nodiscard]] Comparison compareUnpaired(const UnpairedTimes& times,
                                         const CompareOptions& options = {});

}  // namespace hone::stats
