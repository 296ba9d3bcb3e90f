#include "split/fit/ladder/ladder_fit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using model::ReductionKind;

bool descends(const Ladder& ladder) {
  for (std::size_t i = 0; i < ladder.bands.size(); ++i) {
    const Band& band = ladder.bands[i];
    const std::int64_t root = std::llround(std::sqrt(static_cast<double>(band.outputBelow)));
    if (root * root != band.outputBelow || !band.steps.empty() || band.limit < ladder.cap ||
        (i > 0 && (band.outputBelow <= ladder.bands[i - 1].outputBelow ||
                   band.limit > ladder.bands[i - 1].limit))) {
      return false;
    }
  }
  return ladder.cap <= 16;
}

/// Returns the number of shapes whose limit is not the best one.
std::size_t wrong(const Ladder& fitted, const Ladder& known, const SweepResult& sweep) {
  std::size_t count = 0;
  for (const ShapeResult& shape : sweep.shapes) {
    count += chooseLimit(fitted, shape.reduction) == chooseLimit(known, shape.reduction) ? 0 : 1;
  }
  return count;
}

/// Properties that hold with near certainty; the seeds are fixed.
class LadderFitOfSeed : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, LadderFitOfSeed, testing::Range<std::uint64_t>(0, 20));

TEST(LadderFit, ReturnsDefaultLadderForNoCases) { EXPECT_EQ(fitLadder({}), Ladder{}); }

TEST(LadderFit, UsesOneBandForSingleLimit) {
  const SweepResult sweep = testSweep(30, [](const model::Reduction&) { return 128; }, 0.02, 3);
  const Ladder ladder = fitLadder(collectCases(sweep, ReductionKind::matmul));
  ASSERT_EQ(ladder.bands.size(), 1U);
  EXPECT_EQ(ladder.bands.front().limit, 128);
  EXPECT_EQ(ladder.cap, 16);
}

TEST(LadderFit, NeedsNoBandForLimitSixteen) {
  const SweepResult sweep = testSweep(30, [](const model::Reduction&) { return 16; }, 0.02, 3);
  EXPECT_EQ(fitLadder(collectCases(sweep, ReductionKind::matmul)), (Ladder{{}, 16}));
}

TEST_P(LadderFitOfSeed, FindsKnownLadderInNoise) {
  const Ladder known{{{square(64), {}, 1024}, {square(256), {}, 128}, {square(1024), {}, 32}}, 8};
  const SweepResult sweep = testSweep(120, bestBy(known), 0.04, GetParam());
  const Ladder fitted = fitLadder(collectCases(sweep, ReductionKind::matmul));
  EXPECT_TRUE(descends(fitted));
  EXPECT_EQ(fitted.bands.size(), 3U);
  EXPECT_EQ(wrong(fitted, known, sweep), 0U);
}

TEST_P(LadderFitOfSeed, DoesNotFitNoise) {
  const SweepResult sweep = noiseSweep(60, 0.04, GetParam());
  EXPECT_LE(fitLadder(collectCases(sweep, ReductionKind::matmul)).bands.size(), 1U);
}

RC_GTEST_PROP(LadderFit, LimitsDescendForAnyTimes, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Random random(seed);
  const BestLimit any = [&](const model::Reduction&) {
    return kTestLimits[random.below(kTestLimits.size())];
  };
  SweepResult sweep = testSweep(1 + random.below(60), any, 0.5, seed);
  for (ShapeResult& shape : sweep.shapes) {
    for (const std::int64_t limit : kTestLimits) {
      if (shape.limits.size() > 1 && random.below(4) == 0) {
        shape.limits.erase(limit);
      }
    }
  }
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Ladder ladder = fitLadder(cases);
  RC_ASSERT(descends(ladder));
  RC_ASSERT(fitLadder(cases) == ladder);
}

TEST(LadderFit, AvoidsLimitsThatFailOrRegress) {
  SweepResult sweep = testSweep(30, [](const model::Reduction&) { return 128; }, 0.01, 3);
  for (ShapeResult& shape : sweep.shapes) {
    // The best limit is slightly better, but fails for one shape.
    shape.baseline->meanUs = 1.02 * shape.limits.at(64).meanUs;
  }
  sweep.shapes[4].limits.erase(128);
  sweep.shapes[4].limits.erase(256);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Cost cost = costUnder(cases, fitLadder(cases));
  EXPECT_EQ(cost.regressed, 0);
  EXPECT_EQ(cost.unmeasured, 0);
}

}  // namespace
}  // namespace hone::split
