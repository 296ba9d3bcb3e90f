#include "stats/compare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <vector>

#include "base/random.h"
#include "stats/summary.h"
#include "stats/test_noise.h"

namespace hone::stats {
namespace {

struct Times {
  std::vector<double> baseline;
  std::vector<double> candidate;
  std::vector<double> twin;
};

/// Simulates rounds of a candidate that is `speedup` times as fast, in random order per round.
Times simulate(Noise::Kind kind, double scale, double speedup, std::size_t rounds,
               std::uint64_t seed) {
  Noise noise(kind, scale, seed);
  Random random(seed ^ 0x5eed);
  Times times;
  std::array<double, 3> own{};
  for (std::size_t round = 0; round < rounds; ++round) {
    const double shared = noise.round();
    std::array<std::size_t, 3> order = {0, 1, 2};
    random.shuffle(std::span<std::size_t>(order));
    std::array<double, 3> row{};
    for (const std::size_t index : order) {
      row[index] = 1e6 * std::exp(shared + noise.sample(own[index]));
    }
    times.baseline.push_back(row[0]);
    times.candidate.push_back(row[1] / speedup);
    times.twin.push_back(row[2]);
  }
  return times;
}

struct Tally {
  int improved = 0, neutral = 0, regressed = 0, ambiguous = 0;
  int estimateAbove = 0;  ///< runs whose estimate is above 1
};

Tally tally(Noise::Kind kind, double scale, double speedup, bool withTwin, int runs = 100,
            std::size_t rounds = 20) {
  Tally out;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(run) + 1;
    Times times = simulate(kind, scale, speedup, rounds, seed * 7919);
    if (!withTwin) {
      times.twin.clear();
    }
    const Comparison result =
        compare({times.baseline, times.candidate, times.twin}, {.seed = seed});
    out.improved += result.verdict == Verdict::improved ? 1 : 0;
    out.neutral += result.verdict == Verdict::neutral ? 1 : 0;
    out.regressed += result.verdict == Verdict::regressed ? 1 : 0;
    out.ambiguous += result.verdict == Verdict::ambiguous ? 1 : 0;
    out.estimateAbove += result.speedup.estimate > 1 ? 1 : 0;
  }
  return out;
}

/// Writes error rates into the test's XML output.
void record(const Tally& tally) {
  testing::Test::RecordProperty("improved", tally.improved);
  testing::Test::RecordProperty("neutral", tally.neutral);
  testing::Test::RecordProperty("regressed", tally.regressed);
  testing::Test::RecordProperty("ambiguous", tally.ambiguous);
}

Comparison compareRatios(const std::vector<double>& ratios, const std::vector<double>& noise = {},
                         const CompareOptions& options = {}) {
  const std::vector<double> baseline(std::max(ratios.size(), noise.size()), 1000.0);
  std::vector<double> candidate;
  std::vector<double> twin;
  for (const double ratio : ratios) {
    candidate.push_back(1000.0 / ratio);
  }
  for (const double ratio : noise) {
    twin.push_back(1000.0 / ratio);
  }
  return compare({baseline, candidate, twin}, options);
}

struct Condition {
  const char* name;
  Noise::Kind kind;
  double scale;
};

std::ostream& operator<<(std::ostream& out, const Condition& condition) {
  return out << condition.name;
}

class UnderNoise : public testing::TestWithParam<Condition> {};

INSTANTIATE_TEST_SUITE_P(Compare, UnderNoise,
                         testing::Values(Condition{"quiet", Noise::Kind::quiet, 0.02},
                                         Condition{"heavyTailed", Noise::Kind::heavyTailed, 0.02},
                                         Condition{"spikes", Noise::Kind::spikes, 0.01},
                                         Condition{"bursts", Noise::Kind::bursts, 0.01},
                                         Condition{"ownDrift", Noise::Kind::ownDrift, 0.015}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(UnderNoise, DoesNotDistinguishEqualPrograms) {
  const Tally result = tally(GetParam().kind, GetParam().scale, 1.0, true);
  record(result);
  EXPECT_LE(result.improved + result.regressed, 1);
}

TEST_P(UnderNoise, RarelyDistinguishesEqualProgramsWithoutTwin) {
  const Tally result = tally(GetParam().kind, GetParam().scale, 1.0, false);
  record(result);
  EXPECT_LE(result.improved + result.regressed, 5);
}

TEST_P(UnderNoise, EstimatesThreePercentWithCorrectSign) {
  const Tally faster = tally(GetParam().kind, GetParam().scale, 1.03, true);
  record(faster);
  EXPECT_GE(faster.estimateAbove, 90);
  EXPECT_EQ(faster.regressed, 0);
  EXPECT_EQ(tally(GetParam().kind, GetParam().scale, 1 / 1.03, true).improved, 0);
}

TEST_P(UnderNoise, DetectsTenPercent) {
  const Tally faster = tally(GetParam().kind, GetParam().scale, 1.10, true);
  record(faster);
  EXPECT_GE(faster.improved, 90);
  EXPECT_GE(tally(GetParam().kind, GetParam().scale, 1 / 1.10, true).regressed, 90);
}

TEST(Compare, DetectsThreePercentWithMoreRounds) {
  const Tally result = tally(Noise::Kind::quiet, 0.02, 1.03, true, 100, 60);
  record(result);
  EXPECT_GE(result.improved, 80);
}

TEST(Compare, IntervalHasNominalCoverage) {
  int covered = 0;
  constexpr int kRuns = 500;
  for (int run = 0; run < kRuns; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    const Times times = simulate(Noise::Kind::spikes, 0.01, 1.05, 20, seed * 104729 + 1);
    const Interval speedup = compare({times.baseline, times.candidate, {}}, {.seed = seed}).speedup;
    covered += speedup.low <= 1.05 && 1.05 <= speedup.high ? 1 : 0;
  }
  testing::Test::RecordProperty("coveredOf500", covered);
  EXPECT_GE(covered, kRuns * 91 / 100);
  EXPECT_LE(covered, kRuns * 99 / 100);
}

TEST(Compare, VerdictsFollowMargin) {
  EXPECT_EQ(compareRatios(std::vector<double>(20, 1.02)).verdict, Verdict::improved);
  EXPECT_EQ(compareRatios(std::vector<double>(20, 1.005)).verdict, Verdict::neutral);
  EXPECT_EQ(compareRatios(std::vector<double>(20, 1.0)).verdict, Verdict::neutral);
  EXPECT_EQ(compareRatios(std::vector<double>(20, 1 / 1.005)).verdict, Verdict::neutral);
  EXPECT_EQ(compareRatios(std::vector<double>(20, 1 / 1.02)).verdict, Verdict::regressed);
}

TEST(Compare, IntervalAcrossMarginIsAmbiguous) {
  std::vector<double> ratios(10, 1.0);
  ratios.resize(20, 1.2);
  EXPECT_EQ(compareRatios(ratios).verdict, Verdict::ambiguous);
}

TEST(Compare, BeyondMarginWithinFloorIsAmbiguous) {
  const std::vector<double> gain(20, 1.04);
  const Comparison calm = compareRatios(gain, std::vector<double>(20, 1.03));
  EXPECT_NEAR(calm.floor, 0.03, 1e-9);
  EXPECT_EQ(calm.verdict, Verdict::improved);
  const Comparison noisy = compareRatios(gain, std::vector<double>(20, 1 / 1.05));
  EXPECT_NEAR(noisy.floor, 0.05, 1e-9);
  EXPECT_EQ(noisy.verdict, Verdict::ambiguous);
  EXPECT_EQ(compareRatios(gain).floor, 0);
}

TEST(Compare, ExplainsWhyThereIsNoGain) {
  const std::vector<double> gain(20, 1.04);
  EXPECT_EQ(explainNoGain(compareRatios(gain)), "");
  EXPECT_EQ(explainNoGain(compareRatios(gain, std::vector<double>(20, 1 / 1.05))),
            "the gain is within the noise floor of 5.0 %");
  EXPECT_EQ(explainNoGain(compareRatios(std::vector<double>(20, 1.005))),
            "the gain is within the margin");
  EXPECT_EQ(explainNoGain(compareRatios(std::vector<double>(20, 1.0))), "the interval includes 1");
  EXPECT_EQ(explainNoGain(compareRatios(std::vector<double>(20, 0.9))), "slower");
  EXPECT_EQ(explainNoGain(compareRatios(std::vector<double>(3, 1.5))), "only 3 rounds measured");
}

TEST(Compare, FewerThanFiveRoundsAreAmbiguous) {
  const Comparison four = compareRatios(std::vector<double>(4, 2.0));
  EXPECT_EQ(four.verdict, Verdict::ambiguous);
  EXPECT_EQ(four.rounds, 4U);
  EXPECT_NEAR(four.speedup.estimate, 2, 1e-9);
  EXPECT_EQ(compareRatios(std::vector<double>(5, 2.0)).verdict, Verdict::improved);
}

TEST(Compare, NoRoundsAreAmbiguous) {
  const Comparison nothing = compare({});
  EXPECT_EQ(nothing.verdict, Verdict::ambiguous);
  EXPECT_EQ(nothing.rounds, 0U);
  EXPECT_EQ(nothing.speedup.estimate, 1);
}

TEST(Compare, SkipsRoundsWithoutBothTimes) {
  const std::vector<double> baseline = {10, 10, 10, 10, 10, 10, 0, 10};
  const std::vector<double> candidate = {5, 5, 5, 5, 5, NAN, 5};
  const Comparison result = compare({baseline, candidate, {}});
  EXPECT_EQ(result.rounds, 5U);
  EXPECT_DOUBLE_EQ(result.speedup.low, 2);
}

TEST(BootstrapMedian, HandlesEmptyAndSingleValue) {
  EXPECT_EQ(bootstrapMedian({}, 0.95, 1).estimate, 0);
  const Interval one = bootstrapMedian(std::vector{3.0}, 0.95, 1);
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.estimate, 3);
  EXPECT_EQ(one.high, 3);
}

TEST(BootstrapMedian, IsNearBinomialInterval) {
  std::vector<double> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i + 1);
  }
  const Interval interval = bootstrapMedian(values, 0.95, 1);
  EXPECT_NEAR(interval.low, 40.5, 1.5);
  EXPECT_EQ(interval.estimate, 50.5);
  EXPECT_NEAR(interval.high, 60.5, 1.5);
}

RC_GTEST_PROP(BootstrapMedianProperty, LiesWithinValues,
              (const std::vector<int>& ints, std::uint64_t seed)) {
  RC_PRE(!ints.empty());
  const std::vector<double> values(ints.begin(), ints.end());
  const Interval interval = bootstrapMedian(values, 0.95, seed, 200);
  RC_ASSERT(*std::ranges::min_element(values) <= interval.low);
  RC_ASSERT(interval.low <= interval.high);
  RC_ASSERT(interval.high <= *std::ranges::max_element(values));
  RC_ASSERT(interval.estimate == median(values));
}

RC_GTEST_PROP(BootstrapMedianProperty, IsDeterministicAndWidensWithConfidence,
              (const std::vector<int>& ints, std::uint64_t seed)) {
  const std::vector<double> values(ints.begin(), ints.end());
  const Interval once = bootstrapMedian(values, 0.9, seed, 200);
  const Interval again = bootstrapMedian(values, 0.9, seed, 200);
  const Interval wider = bootstrapMedian(values, 0.99, seed, 200);
  RC_ASSERT(once.low == again.low && once.high == again.high);
  RC_ASSERT(wider.low <= once.low && once.high <= wider.high);
}

TEST(Verdict, NamesRoundTrip) {
  for (const Verdict verdict :
       {Verdict::improved, Verdict::neutral, Verdict::regressed, Verdict::ambiguous}) {
    EXPECT_EQ(verdictFrom(nameOf(verdict)), verdict);
  }
  EXPECT_EQ(nameOf(Verdict::ambiguous), "ambiguous");
  EXPECT_EQ(verdictFrom("Improved"), std::nullopt);
}

/// Simulates the times of one program in a separate run.
std::vector<double> simulateAlone(Noise::Kind kind, double scale, double speedup,
                                  std::uint64_t seed) {
  Noise noise(kind, scale, seed);
  double own = 0;
  std::vector<double> times;
  for (int round = 0; round < 20; ++round) {
    times.push_back(1e6 * std::exp(noise.sample(own)) / speedup);
  }
  return times;
}

TEST_P(UnderNoise, DetectsTwentyPercentBetweenSeparateRuns) {
  int wrong = 0;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto before = simulateAlone(GetParam().kind, GetParam().scale, 1, 2 * seed);
    const auto same = simulateAlone(GetParam().kind, GetParam().scale, 1, 2 * seed + 1);
    const auto slower = simulateAlone(GetParam().kind, GetParam().scale, 1 / 1.2, 2 * seed + 1);
    const CompareOptions options{.margin = 0.05, .seed = seed};
    const Verdict equal = compareUnpaired({before, same}, options).verdict;
    wrong += equal == Verdict::improved || equal == Verdict::regressed ? 1 : 0;
    found += compareUnpaired({before, slower}, options).verdict == Verdict::regressed ? 1 : 0;
  }
  EXPECT_LE(wrong, 1);
  EXPECT_GE(found, 40);
}

TEST(CompareUnpaired, IsWiderThanPairedComparison) {
  const Times times = simulate(Noise::Kind::quiet, 0.02, 1.1, 20, 5);
  const Interval paired = compare({times.baseline, times.candidate, {}}).speedup;
  const Interval apart = compareUnpaired({times.baseline, times.candidate}).speedup;
  EXPECT_GT(apart.high / apart.low, paired.high / paired.low);
}

TEST(CompareUnpaired, FloorPreventsVerdict) {
  const std::vector<double> before = {100, 101, 99, 100, 102, 98};
  const std::vector<double> after = {110, 111, 109, 110, 112, 108};
  EXPECT_EQ(compareUnpaired({before, after}).verdict, Verdict::regressed);
  EXPECT_EQ(compareUnpaired({before, after, 0.2}).verdict, Verdict::ambiguous);
}

TEST(CompareUnpaired, IntervalWidensWithConfidence) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    times.push_back(100 + i);
  }
  double last = 0;
  for (const double programs : {1, 10, 50, 1000}) {
    const Interval speedup =
        compareUnpaired({times, times}, {.confidence = 1 - 0.05 / programs}).speedup;
    EXPECT_GT(speedup.high / speedup.low, last) << programs;
    last = speedup.high / speedup.low;
  }
}

TEST(CompareUnpaired, FewOrNoTimesAreAmbiguous) {
  const std::vector<double> few = {1, 1, 1, 1};
  const std::vector<double> many = {2, 2, 2, 2, 2, 2};
  EXPECT_EQ(compareUnpaired({few, many}).verdict, Verdict::ambiguous);
  EXPECT_DOUBLE_EQ(compareUnpaired({few, many}).speedup.estimate, 0.5);
  EXPECT_EQ(compareUnpaired({{}, many}).rounds, 0U);
  EXPECT_EQ(compareUnpaired({{}, many}).verdict, Verdict::ambiguous);
}

RC_GTEST_PROP(CompareUnpairedProperty, SwappingSidesInvertsRatio, ()) {
  const auto draw = [] {
    std::vector<double> times;
    for (const int value : *rc::gen::resize(
             30, rc::gen::nonEmpty(
                     rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100000))))) {
      times.push_back(value);
    }
    return times;
  };
  const std::vector<double> a = draw();
  const std::vector<double> b = draw();
  const Interval one = compareUnpaired({a, b}).speedup;
  const Interval other = compareUnpaired({b, a}).speedup;
  RC_ASSERT(std::abs(one.estimate * other.estimate - 1) < 1e-9);
  RC_ASSERT(one.low <= one.high);
}

}  // namespace
}  // namespace hone::stats
