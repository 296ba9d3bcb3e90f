#include "split/report/analysis_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/text/text.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns a sweep of two matmuls and a convolution whose limit 64 failed.
SweepResult smallSweep() {
  const model::Conv conv{.direction = model::ConvDirection::weightBackward,
                         .n = 16,
                         .c = 32,
                         .h = 48,
                         .w = 32,
                         .k = 64,
                         .y = 3,
                         .x = 3};
  SweepResult sweep{{8, 64},
                    {testShape(16, 16, 65536),
                     testShape(512, 512, 65536),
                     {"the convolution", findReduction(conv).value(), {}, {}, {}}},
                    {"limit 64 of the convolution: does not compile"},
                    0};
  sweep.shapes[0].limits = {{8, timingUs(4000)}, {64, timingUs(1000)}};
  sweep.shapes[0].baseline = timingUs(2000);
  sweep.shapes[1].limits = {{8, timingUs(100)}, {64, timingUs(400)}};
  sweep.shapes[2].limits = {{8, timingUs(12.5)}};
  sweep.shapes[2].baseline = timingUs(12.5);
  sweep.shapes[2].noSplit = timingUs(25);
  return sweep;
}

constexpr std::string_view kGolden = R"golden(3 shapes; limits 8, 64
1 trial without a time:
  limit 64 of the convolution: does not compile

====================================================================================================
PART 1: PERFORMANCE SUMMARY BY LIMIT
====================================================================================================

Statistics over 2 of 3 shapes with a time in every row; limits by geometric mean.

baseline (the compiler's default):
  Geometric Mean:   N.A.
  Arithmetic Mean:  N.A.
  Median:           N.A.
  P95:              N.A.
  Total Runtime:    N.A.

no split:
  Geometric Mean:   N.A.
  Arithmetic Mean:  N.A.
  Median:           N.A.
  P95:              N.A.
  Total Runtime:    N.A.

limitParallelLoops = 64:
  Geometric Mean:   0.6325 ms
  Arithmetic Mean:  0.7000 ms
  Median:           0.7000 ms
  P95:              1.00 ms
  Total Runtime:    1.40 ms

limitParallelLoops = 8:
  Geometric Mean:   0.6325 ms
  Arithmetic Mean:  2.05 ms
  Median:           2.05 ms
  P95:              4.00 ms
  Total Runtime:    4.10 ms

N.A.: baseline (the compiler's default) has a time for 2 of 3 shapes.
N.A.: no split has a time for 1 of 3 shapes.

====================================================================================================
PART 2: BASELINE COMPARISON
====================================================================================================

limit=8 vs baseline:
  Win Rate:         0.0% (0/2 tests faster)
  Avg Regression:   100.0% (1 test slower)
  Max Regression:   100.0%

limit=64 vs baseline:
  Win Rate:         100.0% (1/1 tests faster)
  Avg Improvement:  50.0%
  Max Improvement:  50.0%

no split vs baseline:
  Win Rate:         0.0% (0/1 tests faster)
  Avg Regression:   100.0% (1 test slower)
  Max Regression:   100.0%

Omitted: 1 shape without a baseline.

====================================================================================================
PART 3: CLUSTER ANALYSIS
====================================================================================================

Cluster for limitParallelLoops = 8 (convolution):
  Count: 1 test
  OutputSize range: 18,432 - 18,432 (median 18,432)
  ReductionSize range: 22,080 - 22,080 (median 22,080)
  Avg speedup vs baseline:    1.00x
  Avg speedup vs worst limit: 1.00x

Cluster for limitParallelLoops = 64 (matmul):
  Count: 1 test
  OutputSize range: 256 - 256 (median 256)
  ReductionSize range: 65,536 - 65,536 (median 65,536)
  Avg speedup vs baseline:    2.00x
  Avg speedup vs worst limit: 4.00x

Cluster for limitParallelLoops = 8 (matmul):
  Count: 1 test
  OutputSize range: 262,144 - 262,144 (median 262,144)
  ReductionSize range: 65,536 - 65,536 (median 65,536)
  Avg speedup vs baseline:    N.A.
  Avg speedup vs worst limit: 4.00x

====================================================================================================
PART 4: C++ CODE RECOMMENDATIONS
====================================================================================================

For the current compiler, whose functions return the limit

A) Early Return Thresholds

FOR CONVOLUTION (getConvolutionReductionSizes):
  const int64_t largeParallelSize = 640000;
  const int64_t smallReductionSize = 8192;
  const int64_t ratioThreshold = 64;
  if (outputSize >= 2 * 1024 * 1024 && reductionSize < 50000) {
    return std::nullopt;
  }

FOR MATMUL (getMatmulLikeReductionSizes):
  const int64_t largeOutputSize = 8388608;
  const int64_t smallKSize = 18000;
  const int64_t ratioThreshold = 48;
  if (outputSize >= 1024 * 1024 && outputSize < 1500 * 1024 && kSize < 200000) {
    return std::nullopt;
  }

B) limitParallelLoops Logic

FOR CONVOLUTION (getConvolutionLimitParallelLoops):

1-D, by output size: 7 lines (recommended)
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 1.00x: 0 improved, 1 neutral, 0 regressed

  // Fitted to 1 measured shape. All other sizes, and targets with low
  // parallelism, keep the rules below.
  const bool isMeasured = !lowParallelism && outputSize == 18432 &&
                          reductionSize == 22080;
  if (isMeasured) {
    return std::min<int64_t>(8, startTileSize);
  }

2-D, by output size and reduction size: 7 lines
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 1.00x: 0 improved, 1 neutral, 0 regressed

  // Fitted to 1 measured shape. All other sizes, and targets with low
  // parallelism, keep the rules below.
  const bool isMeasured = !lowParallelism && outputSize == 18432 &&
                          reductionSize == 22080;
  if (isMeasured) {
    return std::min<int64_t>(8, startTileSize);
  }

Recommended: 1-D: too few shapes to cross-validate a 2-D ladder.
No shape is predicted to improve; keep the compiler's code.

FOR MATMUL (getMatmulLimitParallelLoops):

1-D, by output size: 10 lines (recommended)
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 2.00x: 1 improved, 0 neutral, 0 regressed
  predicted by cross-validation: 300.0 % slower than the best measured, worst shape 4.00x; vs baseline 0.50x: 0 improved, 0 neutral, 1 regressed; 1 shape without a prediction

  // Fitted to 2 measured shapes. All other sizes, and targets with low
  // parallelism, keep the rules below.
  const bool isMeasured = !lowParallelism && outputSize >= 16 * 16 &&
                          outputSize <= 512 * 512 && reductionSize == 65536;
  if (isMeasured) {
    if (outputSize < 128 * 128) {
      return 64;
    }
    return std::min<int64_t>(8, startTileSize);
  }

2-D, by output size and reduction size: 10 lines
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 2.00x: 1 improved, 0 neutral, 0 regressed
  predicted by cross-validation: 300.0 % slower than the best measured, worst shape 4.00x; vs baseline 0.50x: 0 improved, 0 neutral, 1 regressed; 1 shape without a prediction

  // Fitted to 2 measured shapes. All other sizes, and targets with low
  // parallelism, keep the rules below.
  const bool isMeasured = !lowParallelism && outputSize >= 16 * 16 &&
                          outputSize <= 512 * 512 && reductionSize == 65536;
  if (isMeasured) {
    if (outputSize < 128 * 128) {
      return 64;
    }
    return std::min<int64_t>(8, startTileSize);
  }

Recommended: 1-D: cross-validated regret 300.0 % with 2-D, 300.0 % with 1-D; the longer 2-D code must gain more than 1 %.

For a compiler whose source has a chain `int64_t limitParallelLoops; if …`

A) Early Return Thresholds

FOR CONVOLUTION (getWeightBackwardReductionSizes):
  const int64_t largeParallelSize = 512;
  const int64_t largeReductionSize = 8192;
  const int64_t ratioThreshold = 64;

FOR MATMUL (getMatmulLikeReductionSizes):
  const int64_t largeMNSize = 1024;
  const int64_t largeKSize = 24576;
  const int64_t ratioThreshold = 384;

B) limitParallelLoops Logic

FOR CONVOLUTION (getWeightBackwardReductionSizes):

1-D, by output size: 6 lines (recommended)
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 1.00x: 0 improved, 1 neutral, 0 regressed

  // Fitted to 1 measured shape. All other sizes keep their own rules.
  const bool isMeasured = outputSize == 18432 && reductionSize == 22080;
  int64_t limitParallelLoops;
  if (isMeasured) {
    limitParallelLoops = std::min<int64_t>(8, tileSizes[0]);
  } else …

2-D, by output size and reduction size: 6 lines
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 1.00x: 0 improved, 1 neutral, 0 regressed

  // Fitted to 1 measured shape. All other sizes keep their own rules.
  const bool isMeasured = outputSize == 18432 && reductionSize == 22080;
  int64_t limitParallelLoops;
  if (isMeasured) {
    limitParallelLoops = std::min<int64_t>(8, tileSizes[0]);
  } else …

Recommended: 1-D: too few shapes to cross-validate a 2-D ladder.
No shape is predicted to improve; keep the compiler's code.

FOR MATMUL (getMatmulLikeReductionSizes):

1-D, by output size: 11 lines (recommended)
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 2.00x: 1 improved, 0 neutral, 0 regressed
  predicted by cross-validation: 300.0 % slower than the best measured, worst shape 4.00x; vs baseline 0.50x: 0 improved, 0 neutral, 1 regressed; 1 shape without a prediction

  // Fitted to 2 measured shapes. All other sizes keep their own rules.
  const bool isMeasured = outputSize >= 16 * 16 && outputSize <= 512 * 512 &&
                          kSize == 65536;
  int64_t limitParallelLoops;
  if (isMeasured) {
    if (outputSize < 128 * 128) {
      limitParallelLoops = 64;
    } else {
      limitParallelLoops = std::min<int64_t>(8, tileSizes[0]);
    }
  } else …

2-D, by output size and reduction size: 11 lines
  predicted in sample: 0.0 % slower than the best measured, worst shape 1.00x; vs baseline 2.00x: 1 improved, 0 neutral, 0 regressed
  predicted by cross-validation: 300.0 % slower than the best measured, worst shape 4.00x; vs baseline 0.50x: 0 improved, 0 neutral, 1 regressed; 1 shape without a prediction

  // Fitted to 2 measured shapes. All other sizes keep their own rules.
  const bool isMeasured = outputSize >= 16 * 16 && outputSize <= 512 * 512 &&
                          kSize == 65536;
  int64_t limitParallelLoops;
  if (isMeasured) {
    if (outputSize < 128 * 128) {
      limitParallelLoops = 64;
    } else {
      limitParallelLoops = std::min<int64_t>(8, tileSizes[0]);
    }
  } else …

Recommended: 1-D: cross-validated regret 300.0 % with 2-D, 300.0 % with 1-D; the longer 2-D code must gain more than 1 %.

====================================================================================================
PART 5: TOP 20 HIGHEST SPEEDUPS
====================================================================================================

By speedup vs baseline; shapes without a baseline follow.

#1: gemm -m 16 -n 16 -k 65536 -u 0 -v 0
    Best limit: 64, Runtime: 1.00ms, Speedup vs baseline: 2.00x, Speedup vs worst limit: 4.00x
#2: the convolution
    Best limit: 8, Runtime: 0.0125ms, Speedup vs baseline: 1.00x, Speedup vs worst limit: 1.00x
#3: gemm -m 512 -n 512 -k 65536 -u 0 -v 0
    Best limit: 8, Runtime: 0.1000ms, Speedup vs baseline: N.A., Speedup vs worst limit: 4.00x

====================================================================================================
PART 6: OPTIMIZED CONFIGURATION - VALIDATED PERFORMANCE
====================================================================================================

not validated yet; run hone split test-optimized <workload> to measure the code of Part 4
)golden";

TEST(AnalysisText, MatchesExpectedText) { EXPECT_EQ(analysisText(analyze(smallSweep())), kGolden); }

TEST(AnalysisText, SummarizesBaselineAndNoSplit) {
  SweepResult sweep = smallSweep();
  sweep.shapes.pop_back();
  sweep.shapes[1].baseline = timingUs(8000);
  for (ShapeResult& shape : sweep.shapes) {
    shape.noSplit = timingUs(3000);
  }
  const std::string text = analysisText(analyze(sweep));
  EXPECT_THAT(text, HasSubstr("baseline (the compiler's default):\n"
                              "  Geometric Mean:   4.00 ms\n"
                              "  Arithmetic Mean:  5.00 ms\n"));
  EXPECT_THAT(text, HasSubstr("no split:\n  Geometric Mean:   3.00 ms\n"));
  EXPECT_THAT(text, Not(HasSubstr("N.A.")));
}

TEST(AnalysisText, EndsWithValidation) {
  Validation validation;
  validation.shapes.push_back({"x", 200, 100, std::nullopt, stats::Verdict::improved});
  const std::string text = analysisText(analyze(smallSweep()), validation);
  EXPECT_THAT(text, HasSubstr("✅ EXCELLENT RESULTS - READY FOR PRODUCTION\n"));
  EXPECT_THAT(text, Not(HasSubstr("not validated yet")));
}

TEST(AnalysisText, HasAllPartsForEmptySweep) {
  const std::string text = analysisText(analyze({}));
  for (int part = 1; part <= 6; ++part) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\nPART {}: ", part)));
  }
  EXPECT_THAT(text, HasSubstr("no recommendation"));
}

TEST(AnalysisText, ShowsConstantsOfBothLaddersIfTheyDiffer) {
  Analysis analysis = analyze(smallSweep());
  Recommendation& one = analysis.recommendations.front();
  one.twoD.heuristic.returns.ratio = 7;
  one.takeTwoD = true;
  const std::string text = analysisText(analysis);
  EXPECT_THAT(text, HasSubstr("  // for the 2-D code (recommended)\n"));
  EXPECT_THAT(text, HasSubstr("  const int64_t ratioThreshold = isMeasured ? 7 : 64;\n"));
  EXPECT_THAT(text, HasSubstr("  }\n  // for the 1-D code\n"));
}

TEST(AnalysisText, ReportsMissingGain) {
  SweepResult sweep = smallSweep();
  for (ShapeResult& shape : sweep.shapes) {
    shape.baseline = shape.limits.begin()->second;
    shape.limits = {{8, *shape.baseline}};
  }
  EXPECT_THAT(analysisText(analyze(sweep)), HasSubstr("keep the compiler's code"));
}

/// Generates times of any magnitude, most of them missing.
SweepResult anySweep(std::uint64_t seed) {
  Random random(seed);
  SweepResult sweep =
      testSweep(random.below(25), [](const model::Reduction&) { return 64; }, 0.5, seed);
  const auto anyTime = [&] { return timingUs(std::pow(10, 20 * random.uniform() - 6)); };
  for (ShapeResult& shape : sweep.shapes) {
    for (const std::int64_t limit : kTestLimits) {
      if (random.below(3) == 0) {
        shape.limits.erase(limit);
      } else if (random.below(3) == 0) {
        shape.limits[limit] = anyTime();
      }
    }
    if (random.below(5) == 0) {
      shape.limits.clear();
    }
    shape.baseline = random.below(2) == 0 ? std::nullopt : std::optional(anyTime());
    shape.noSplit = random.below(2) == 0 ? std::nullopt : std::optional(anyTime());
    if (random.below(3) == 0) {
      shape.reduction.kind = model::ReductionKind::convolution;
    }
  }
  return sweep;
}

Validation anyValidation(const SweepResult& sweep) {
  Validation validation;
  for (const ShapeResult& shape : sweep.shapes) {
    if (shape.baseline && !shape.limits.empty()) {
      const double baseline = shape.baseline->meanUs;
      const double optimized = shape.limits.begin()->second.meanUs;
      validation.shapes.push_back(
          {shape.arguments, baseline, optimized, {}, compareTimes(baseline, optimized)});
    } else {
      ++validation.withoutBaseline;
    }
  }
  return validation;
}

RC_GTEST_PROP(AnalysisText, ContainsNoInfinityOrNan, ()) {
  const SweepResult sweep = anySweep(*rc::gen::arbitrary<std::uint64_t>());
  const std::string text = analysisText(analyze(sweep), anyValidation(sweep));
  for (const std::string& line : splitAt(text, '\n')) {
    for (const std::string& word : splitAt(line, ' ')) {
      RC_ASSERT(word.find("inf") == std::string::npos);
      RC_ASSERT(word.find("nan") == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hone::split
