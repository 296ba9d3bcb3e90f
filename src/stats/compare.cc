#include "stats/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.h"
#include "stats/summary.h"

namespace hone::stats {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"improved", "neutral", "regressed",
                                                    "ambiguous"};
constexpr std::size_t kMinRounds = 5;
constexpr std::size_t kResamples = 2000;
/// Derives the seed of an independent stream.
constexpr std::uint64_t kOtherStream = 0x9e3779b97f4a7c15U;

/// Computes medians of bootstrap resamples. Counts how often each sorted value is drawn instead of
/// sorting every resample.
class Resampler {
 public:
  Resampler(std::span<const double> values, std::uint64_t seed)
      : ordered_(values.begin(), values.end()), counts_(values.size()), random_(seed) {
    std::sort(ordered_.begin(), ordered_.end());
  }

  double median() {
    const std::size_t size = ordered_.size();
    std::fill(counts_.begin(), counts_.end(), 0U);
    for (std::size_t i = 0; i < size; ++i) {
      ++counts_[random_.below(size)];
    }
    std::size_t at = 0;
    std::size_t passed = counts_[0];
    while (passed <= (size - 1) / 2) {
      passed += counts_[++at];
    }
    const double lower = ordered_[at];
    while (passed <= size / 2) {
      passed += counts_[++at];
    }
    return (lower + ordered_[at]) / 2;
  }

 private:
  std::vector<double> ordered_;
  std::vector<std::uint32_t> counts_;
  Random random_;
};

/// Returns a number of resamples for which each tail outside `confidence` contains a resample.
std::size_t resamplesFor(double confidence) {
  constexpr double kMaxResamples = 40'000;  // comparing a thousand programs takes seconds
  const double tail = (1 - std::clamp(confidence, 0.0, 1.0)) / 2;
  return std::max(kResamples,
                  static_cast<std::size_t>(std::min(kMaxResamples, std::ceil(1 / tail))));
}

/// Returns the central `confidence` interval of the draws, rounded outward to the next draw.
Interval percentileInterval(std::vector<double> draws, double confidence, double estimate) {
  const double tail = (1 - std::clamp(confidence, 0.0, 1.0)) / 2;
  const auto cut = static_cast<std::ptrdiff_t>(tail * static_cast<double>(draws.size() - 1));
  const auto low = draws.begin() + cut;
  const auto high = draws.end() - 1 - cut;
  std::nth_element(draws.begin(), low, draws.end());
  const double lowest = *low;
  std::nth_element(low, high, draws.end());
  return {.low = lowest, .estimate = estimate, .high = *high};
}

bool isTime(double time) { return std::isfinite(time) && time > 0; }

/// Returns the logs of the valid times.
std::vector<double> logTimes(std::span<const double> times) {
  std::vector<double> logs;
  logs.reserve(times.size());
  for (const double time : times) {
    if (isTime(time)) {
      logs.push_back(std::log(time));
    }
  }
  return logs;
}

/// Returns log(over / under) for every round in which both have a valid time.
std::vector<double> logRatios(std::span<const double> over, std::span<const double> under) {
  std::vector<double> ratios;
  const std::size_t rounds = std::min(over.size(), under.size());
  ratios.reserve(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    if (isTime(over[i]) && isTime(under[i])) {
      ratios.push_back(std::log(over[i] / under[i]));
    }
  }
  return ratios;
}

Verdict classify(const Interval& speedup, double margin, double floor) {
  const double beyond = 1 + std::max(margin, floor);
  if (speedup.low > beyond) {
    return Verdict::improved;
  }
  if (speedup.high < 1 / beyond) {
    return Verdict::regressed;
  }
  const double within = 1 + margin;
  return speedup.low >= 1 / within && speedup.high <= within ? Verdict::neutral
                                                             : Verdict::ambiguous;
}

}  // namespace

Interval bootstrapMedian(std::span<const double> values, double confidence, std::uint64_t seed,
                         std::size_t resamples) {
  if (values.empty()) {
    return {};
  }
  Resampler resampler(values, seed);
  std::vector<double> medians(std::max<std::size_t>(resamples, 1));
  std::generate(medians.begin(), medians.end(), [&] { return resampler.median(); });
  return percentileInterval(std::move(medians), confidence, median(values));
}

std::string_view nameOf(Verdict verdict) { return kNames[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> verdictFrom(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<Verdict>(i);
    }
  }
  return std::nullopt;
}

Comparison compare(const PairedTimes& times, const CompareOptions& options) {
  const std::vector<double> gains = logRatios(times.baseline, times.candidate);
  const std::vector<double> noise = logRatios(times.baseline, times.twin);
  Comparison comparison;
  comparison.rounds = gains.size();
  const Interval gain = bootstrapMedian(gains, options.confidence, options.seed);
  comparison.speedup = {std::exp(gain.low), std::exp(gain.estimate), std::exp(gain.high)};
  const Interval chance = bootstrapMedian(noise, options.confidence, options.seed);
  comparison.floor = std::expm1(std::max(std::abs(chance.low), std::abs(chance.high)));
  if (comparison.rounds >= kMinRounds) {
    comparison.verdict = classify(comparison.speedup, options.margin, comparison.floor);
  }
  return comparison;
}

std::string explainNoGain(const Comparison& comparison) {
  const Interval& speedup = comparison.speedup;
  if (comparison.verdict == Verdict::improved) {
    return "";
  }
  if (speedup.high < 1) {
    return "slower";
  }
  if (comparison.rounds < kMinRounds) {
    return fmt::format("only {} rounds measured", comparison.rounds);
  }
  if (speedup.low <= 1) {
    return "the interval includes 1";
  }
  return speedup.low <= 1 + comparison.floor
             ? fmt::format("the gain is within the noise floor of {:.1f} %", 100 * comparison.floor)
             : "the gain is within the margin";
}

Comparison compareUnpaired(const UnpairedTimes& times, const CompareOptions& options) {
  const std::vector<double> before = logTimes(times.before);
  const std::vector<double> after = logTimes(times.after);
  Comparison comparison;
  comparison.rounds = std::min(before.size(), after.size());
  comparison.floor = times.floor;
  if (comparison.rounds == 0) {
    return comparison;
  }
  Resampler drawBefore(before, options.seed);
  Resampler drawAfter(after, options.seed ^ kOtherStream);
  std::vector<double> gains(resamplesFor(options.confidence));
  std::generate(gains.begin(), gains.end(),
                [&] { return drawBefore.median() - drawAfter.median(); });
  const Interval gain =
      percentileInterval(std::move(gains), options.confidence, median(before) - median(after));
  comparison.speedup = {std::exp(gain.low), std::exp(gain.estimate), std::exp(gain.high)};
  if (comparison.rounds >= kMinRounds) {
    comparison.verdict = classify(comparison.speedup, options.margin, comparison.floor);
  }
  return comparison;
}

}  // namespace hone::stats
