#include "split/fit/early_returns.h"

#include <gtest/gtest.h>

#include "split/fit/ladder/ladder_fit.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using model::ReductionKind;

Heuristic heuristicFor(SourceForm form, const Cases& cases) {
  return {ReductionKind::matmul, form, compilersReturns(form, ReductionKind::matmul),
          fitLadder(cases)};
}

/// Shapes with short reductions are fastest unsplit; the others gain from 64 parts.
SweepResult sweepWithSmallSums(std::int64_t smallBelow, std::uint64_t seed) {
  return testSweep(
      80,
      [=](const model::Reduction& reduction) {
        return reduction.reductionSize() < smallBelow ? 1 : 64;
      },
      0.01, seed);
}

/// Returns matmuls with huge outputs that gain from a split if their reduction is long enough.
SweepResult sweepOfHugeOutputs(std::int64_t smallBelow) {
  SweepResult sweep{kTestLimits, {}, {}, 0};
  for (std::int64_t i = 0; i < 24; ++i) {
    sweep.shapes.push_back(testShape(1100, 1024, 20000 * (i + 1)));
    ShapeResult& shape = sweep.shapes.back();
    const bool small = shape.reduction.reductionSize() < smallBelow;
    shape.limits = {{8, timingUs(small ? 20 : 10)}};
    shape.noSplit = timingUs(small ? 10 : 20);
    shape.baseline = timingUs(20);
  }
  return sweep;
}

class EarlyReturnsOfSeed : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, EarlyReturnsOfSeed, testing::Range<std::uint64_t>(0, 20));

TEST(EarlyReturns, KeepCompilerConstantsWithoutEvidence) {
  for (const SourceForm form : {SourceForm::chain, SourceForm::functions}) {
    const EarlyReturns present = compilersReturns(form, ReductionKind::matmul);
    EXPECT_EQ(fitReturns(heuristicFor(form, {}), {}), present);
    SweepResult sweep = sweepWithSmallSums(100000, 1);
    for (ShapeResult& shape : sweep.shapes) {
      shape.noSplit.reset();
      shape.limits.erase(1);
    }
    const Cases cases = collectCases(sweep, ReductionKind::matmul);
    EXPECT_EQ(fitReturns(heuristicFor(form, cases), cases), present);
  }
}

TEST(EarlyReturns, SkipNoFurtherShapeWithoutTimeUnsplit) {
  SweepResult sweep = sweepOfHugeOutputs(400000);
  for (ShapeResult& shape : sweep.shapes) {
    shape.limits = {{64, shape.limits.at(8)}};  // splits all of them
  }
  // One of the shapes that gain from no split has no time for it; the compiler would split it.
  ShapeResult& unknown = sweep.shapes[14];
  ASSERT_EQ(unknown.reduction.reductionSize(), 300000);
  unknown.noSplit.reset();
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  Heuristic heuristic = heuristicFor(SourceForm::functions, cases);
  heuristic.ladder = {{{INT64_MAX, {}, 64}}, 16};
  heuristic.returns = fitReturns(heuristic, cases);
  EXPECT_FALSE(skips(heuristic.form, heuristic.returns, unknown.reduction));
  EXPECT_TRUE(skips(heuristic.form, heuristic.returns, sweep.shapes[10].reduction));
}

TEST(EarlyReturns, MatchConstantsInSource) {
  using enum SourceForm;
  EXPECT_EQ(compilersReturns(functions, ReductionKind::convolution),
            (EarlyReturns{640000, 8192, 64, 50000}));
  EXPECT_EQ(compilersReturns(functions, ReductionKind::matmul),
            (EarlyReturns{2048L * 4096, 18000, 48, 200000}));
  EXPECT_EQ(compilersReturns(chain, ReductionKind::convolution), (EarlyReturns{512, 8192, 64}));
  EXPECT_EQ(compilersReturns(chain, ReductionKind::matmul), (EarlyReturns{1024, 24576, 384}));
}

TEST_P(EarlyReturnsOfSeed, SkipShapesThatAreFasterUnsplit) {
  const SweepResult sweep = sweepWithSmallSums(200000, GetParam());
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  Heuristic heuristic = heuristicFor(SourceForm::functions, cases);
  heuristic.ladder = {{{INT64_MAX, {}, 64}}, 16};
  const Cost before = costUnder(cases, heuristic);
  heuristic.returns = fitReturns(heuristic, cases);
  const Cost after = costUnder(cases, heuristic);
  EXPECT_LT(after.value, before.value);
  std::size_t wrong = 0;
  for (const ShapeResult& shape : sweep.shapes) {
    const bool small = shape.reduction.reductionSize() < 200000;
    // A condition with literal numbers skips these in any case.
    const std::int64_t output = shape.reduction.outputSize();
    const bool fixed = output >= 1024L * 1024 && output < 1500L * 1024;
    wrong += !fixed && small != skips(heuristic.form, heuristic.returns, shape.reduction) ? 1 : 0;
  }
  EXPECT_LE(wrong, 4U);
}

TEST(EarlyReturns, FitConditionOfHugeOutputs) {
  for (const std::int64_t smallBelow : {100000, 400000}) {
    const SweepResult sweep = sweepOfHugeOutputs(smallBelow);
    const Cases cases = collectCases(sweep, ReductionKind::matmul);
    Heuristic heuristic = heuristicFor(SourceForm::functions, cases);
    heuristic.ladder = {{{INT64_MAX, {}, 8}}, 16};
    heuristic.returns = fitReturns(heuristic, cases);
    EXPECT_NE(heuristic.returns.modestReduction, 200000);
    for (const ShapeResult& shape : sweep.shapes) {
      EXPECT_EQ(skips(heuristic.form, heuristic.returns, shape.reduction),
                shape.reduction.reductionSize() < smallBelow);
    }
  }
}

TEST(EarlyReturns, DoNotFitNoise) {
  SweepResult sweep = testSweep(50, [](const model::Reduction&) { return 64; }, 0, 5);
  Random random(5);
  for (ShapeResult& shape : sweep.shapes) {
    for (auto& [limit, timing] : shape.limits) {
      timing = {.meanUs = 100 + random.uniform()};
    }
    shape.noSplit = shape.limits.at(8);
    shape.baseline = shape.limits.at(16);
  }
  const Cases cases = collectCases(sweep, ReductionKind::matmul);
  for (const SourceForm form : {SourceForm::chain, SourceForm::functions}) {
    EXPECT_EQ(fitReturns(heuristicFor(form, cases), cases),
              compilersReturns(form, ReductionKind::matmul));
  }
}

TEST(EarlyReturns, MeasuresMatchConditions) {
  const model::Reduction matmul{
      .kind = ReductionKind::matmul, .sizes = {1000}, .batchSize = 2, .mSize = 10, .nSize = 40};
  EXPECT_EQ(computeMeasures(SourceForm::chain, matmul), (EarlyReturns{40, 1000, 25}));
  EXPECT_EQ(computeMeasures(SourceForm::functions, matmul), (EarlyReturns{800, 1000, 25}));
  const model::Reduction huge{
      .kind = ReductionKind::matmul, .sizes = {1000}, .mSize = 1024, .nSize = 1024};
  EXPECT_EQ(computeMeasures(SourceForm::functions, huge).modestReduction, 1000);
  EXPECT_EQ(computeMeasures(SourceForm::chain, huge).modestReduction, 0);
  model::Reduction conv{.kind = ReductionKind::convolution,
                        .sizes = {100, 10},
                        .batchFirst = true,
                        .batchSize = 4,
                        .outputChannelSize = 25,
                        .imageSize = 9};
  EXPECT_EQ(computeMeasures(SourceForm::chain, conv), (EarlyReturns{4, 1000, 100}));
  EXPECT_EQ(computeMeasures(SourceForm::functions, conv), (EarlyReturns{225, 1000, 66}));
  conv.batchFirst = false;
  EXPECT_EQ(computeMeasures(SourceForm::functions, conv), (EarlyReturns{100, 1000, 100}));
}

}  // namespace
}  // namespace hone::split
