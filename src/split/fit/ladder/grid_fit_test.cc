#include "split/fit/ladder/grid_fit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "split/fit/simulate.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using model::ReductionKind;

std::size_t rungs(const Ladder& ladder) {
  std::size_t count = 0;
  for (const Band& band : ladder.bands) {
    count += 1 + band.steps.size();
  }
  return count;
}

double computeGeomean(const Ladder& ladder, const SweepResult& sweep) {
  std::vector<Prediction> predictions;
  for (const ShapeResult& shape : sweep.shapes) {
    predictions.push_back({&shape, measuredUs(shape, chooseLimit(ladder, shape.reduction))});
  }
  return computeRegret(predictions).geomeanRatio;
}

/// Properties that hold with near certainty; the seeds are fixed.
class GridFitOfSeed : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, GridFitOfSeed, testing::Range<std::uint64_t>(0, 20));

TEST(GridFit, ReturnsDefaultLadderForNoCases) { EXPECT_EQ(fitGrid({}), Ladder{}); }

TEST(GridFit, ReturnsLimitOfSingleShape) {
  const SweepResult sweep = testSweep(1, [](const model::Reduction&) { return 128; }, 0, 3);
  const Ladder ladder = fitGrid(collectCases(sweep, ReductionKind::matmul));
  EXPECT_EQ(chooseLimit(ladder, sweep.shapes.front().reduction), 128);
}

TEST_P(GridFitOfSeed, FindsKnownGridInNoise) {
  const Ladder known{{{square(128), {{200000, 64}}, 1024}, {square(512), {{1000000, 16}}, 128}}, 8};
  const SweepResult sweep = testSweep(100, bestBy(known), 0.04, GetParam());
  const Ladder fitted = fitGrid(collectCases(sweep, ReductionKind::matmul));
  EXPECT_LT(computeGeomean(fitted, sweep), 1.06);
  EXPECT_LE(rungs(fitted), 7U);
  const SweepResult unseen = testSweep(100, bestBy(known), 0, GetParam() + 1000);
  EXPECT_LT(computeGeomean(fitted, unseen), 1.1);
}

TEST(GridFit, AvoidsLimitsThatFailed) {
  SweepResult sweep = testSweep(30, [](const model::Reduction&) { return 128; }, 0.01, 3);
  sweep.shapes[4].limits.erase(128);
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  const Ladder ladder = fitGrid(cases);
  EXPECT_EQ(costUnder(cases, ladder).unmeasured, 0);
  EXPECT_NE(chooseLimit(ladder, sweep.shapes[4].reduction), 128);
}

TEST_P(GridFitOfSeed, DoesNotFitNoise) {
  const SweepResult sweep = noiseSweep(60, 0.04, GetParam());
  EXPECT_LE(rungs(fitGrid(collectCases(sweep, ReductionKind::matmul))), 1U);
}

/// Returns true if no operation has a larger limit than one with a smaller output and the same
/// reduction.
bool descendsInOutput(const Ladder& ladder) {
  std::vector<std::int64_t> outputs = {1};
  std::vector<std::int64_t> reductions = {1};
  for (const Band& band : ladder.bands) {
    outputs.push_back(band.outputBelow);
    for (const Step& step : band.steps) {
      reductions.push_back(step.reductionBelow);
    }
  }
  std::sort(outputs.begin(), outputs.end());
  for (const std::int64_t reduction : reductions) {
    std::int64_t before = INT64_MAX;
    for (const std::int64_t output : outputs) {
      const model::Reduction one{
          .kind = ReductionKind::matmul, .sizes = {reduction}, .mSize = output, .nSize = 1};
      const std::int64_t limit = chooseLimit(ladder, one).value_or(kNoSplit);
      if (limit > before && limit != reduction) {
        return false;
      }
      before = limit;
    }
  }
  return true;
}

TEST_P(GridFitOfSeed, LimitsDoNotGrowWithOutputSize) {
  const Ladder rising{{{square(64), {}, 8}, {square(256), {{200000, 8}}, 1024}}, 16};
  const SweepResult sweep = testSweep(100, bestBy(rising), 0.02, GetParam());
  EXPECT_TRUE(descendsInOutput(fitGrid(collectCases(sweep, ReductionKind::matmul))));
}

TEST_P(GridFitOfSeed, RungsPayOnShapesLeftOut) {
  // One outlier: a rung for it would save time on no other shape.
  SweepResult sweep = testSweep(40, [](const model::Reduction&) { return 64; }, 0.01, GetParam());
  ShapeResult& odd = sweep.shapes[GetParam()];
  for (auto& [limit, timing] : odd.limits) {
    timing.meanUs = limit == 512 ? 10 : 40;
  }
  odd.baseline = timingUs(12);
  EXPECT_LE(rungs(fitGrid(collectCases(sweep, ReductionKind::matmul))), 2U);
}

RC_GTEST_PROP(GridFit, StaysSmallAndAscends, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Random random(seed);
  const BestLimit any = [&](const model::Reduction&) {
    return kTestLimits[random.below(kTestLimits.size())];
  };
  const SweepResult sweep = testSweep(1 + random.below(60), any, 0.3, seed);
  const Ladder ladder = fitGrid(collectCases(sweep, ReductionKind::matmul));
  RC_ASSERT(ladder.bands.size() <= 6U);
  RC_ASSERT(descendsInOutput(ladder));
  RC_ASSERT(
      std::is_sorted(ladder.bands.begin(), ladder.bands.end(),
                     [](const Band& a, const Band& b) { return a.outputBelow <= b.outputBelow; }));
  for (const Band& band : ladder.bands) {
    RC_ASSERT(band.steps.size() <= 3U);
    RC_ASSERT(std::is_sorted(
        band.steps.begin(), band.steps.end(),
        [](const Step& a, const Step& b) { return a.reductionBelow <= b.reductionBelow; }));
  }
}

}  // namespace
}  // namespace hone::split
