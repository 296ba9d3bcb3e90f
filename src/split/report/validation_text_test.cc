#include "split/report/validation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "split/report/text_parts.h"

namespace hone::split {
namespace {

using stats::Verdict;
using testing::HasSubstr;
using testing::Not;

ValidatedShape validatedShape(double baselineUs, double optimizedUs) {
  return {"gemm -m 8", baselineUs, optimizedUs, std::nullopt,
          compareTimes(baselineUs, optimizedUs)};
}

TEST(Validation, UsesThresholdOfFivePercent) {
  EXPECT_EQ(compareTimes(106, 100), Verdict::improved);
  EXPECT_EQ(compareTimes(104, 100), Verdict::neutral);
  EXPECT_EQ(compareTimes(96, 100), Verdict::neutral);
  EXPECT_EQ(compareTimes(94, 100), Verdict::regressed);
}

TEST(ValidationText, ShowsBox) {
  Validation validation;
  validation.shapes = {validatedShape(1.0e9, 0.04e9), validatedShape(12.435e6, 9.834e6),
                       validatedShape(100, 99)};
  EXPECT_EQ(validationText(validation),
            "┌──────────────────────────────────────────────────────────────────────────┐\n"
            "│                    BASELINE vs OPTIMIZED                                 │\n"
            "├──────────────────────────────────────────────────────────────────────────┤\n"
            "│ Total Tests:                   3                                         │\n"
            "│ Baseline Runtime:        1012435 ms  (~16.9 min)                         │\n"
            "│ Optimized Runtime:         49834 ms  (~0.8 min)                          │\n"
            "│ Overall Speedup:           20.32x                                        │\n"
            "│ Overall Improvement:       95.08%                                        │\n"
            "│ Geometric Mean:             3.17x                                        │\n"
            "├──────────────────────────────────────────────────────────────────────────┤\n"
            "│ Tests Improved:                2 ( 66.7%)                                │\n"
            "│ Tests Neutral (±5%):           1 ( 33.3%)                                │\n"
            "│ Tests Regressed:               0 (  0.0%)                                │\n"
            "└──────────────────────────────────────────────────────────────────────────┘\n"
            "\n"
            "✅ EXCELLENT RESULTS - READY FOR PRODUCTION\n");
}

TEST(ValidationText, ReportsRegressions) {
  Validation validation;
  validation.shapes = {validatedShape(200, 100), validatedShape(100, 200),
                       validatedShape(100, 150)};
  validation.shapes[1].speedup = stats::Interval{0.49, 0.5, 0.51};
  const std::string text = validationText(validation);
  EXPECT_THAT(text, HasSubstr("⚠ 2 shapes regressed: not ready\n"));
  EXPECT_THAT(text, Not(HasSubstr("EXCELLENT")));
  EXPECT_THAT(text, HasSubstr("Regressed:\n  0.500x [0.490, 0.510]  0.1000 ms -> 0.2000 ms  gemm"));
  EXPECT_THAT(text, Not(HasSubstr("Ambiguous")));
}

TEST(ValidationText, AdvisesToKeepCodeWithoutGain) {
  Validation validation;
  validation.shapes = {validatedShape(100, 101)};
  EXPECT_THAT(validationText(validation), HasSubstr("\nno gain; keep the compiler's code\n"));
}

TEST(ValidationText, ReportsFailureAsNotReady) {
  Validation validation;
  validation.shapes = {validatedShape(200, 100)};
  validation.failed = 1;
  validation.withoutBaseline = 2;
  const std::string text = validationText(validation);
  EXPECT_THAT(text, HasSubstr("⚠ 1 shape failed with the recommended code: not ready\n"));
  EXPECT_THAT(text, HasSubstr("Omitted: 2 shapes without a baseline.\n"));
  EXPECT_THAT(text, Not(HasSubstr("EXCELLENT")));
}

TEST(ValidationText, ShowsAmbiguousOnlyIfThereAreAny) {
  Validation validation;
  validation.shapes = {validatedShape(200, 100), validatedShape(100, 100)};
  validation.shapes[1].verdict = Verdict::ambiguous;
  EXPECT_THAT(validationText(validation), HasSubstr("│ Tests Ambiguous:               1 ( 50.0%)"));
}

TEST(ValidationText, NamesCommandIfNotValidated) {
  EXPECT_THAT(validationText(std::nullopt),
              HasSubstr("not validated yet; run hone split test-optimized"));
  EXPECT_THAT(validationText(Validation{}), HasSubstr("not validated: no shape has times"));
}

TEST(TextParts, FormatsNumbers) {
  EXPECT_EQ(inMs(157501), "157.50");
  EXPECT_EQ(inMs(138876e3), "138876");
  EXPECT_EQ(inMs(157.5), "0.1575");
  EXPECT_EQ(inMs(1.575), "0.001575");
  EXPECT_EQ(groupedText(7), "7");
  EXPECT_EQ(groupedText(1024), "1,024");
  EXPECT_EQ(groupedText(1048576), "1,048,576");
  EXPECT_EQ(groupedText(100000), "100,000");
  EXPECT_EQ(countText(1, "shape"), "1 shape");
  EXPECT_EQ(countText(0, "shape"), "0 shapes");
}

}  // namespace
}  // namespace hone::split
