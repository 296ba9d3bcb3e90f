#include "split/fit/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "split/source/cpp_code.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using model::ReductionKind;
using testing::HasSubstr;
using testing::StartsWith;

SweepResult gridSweep() {
  const Ladder known{{{square(128), {{200000, 16}}, 1024}, {square(512), {{1000000, 16}}, 256}},
                     16};
  return testSweep(120, bestBy(known), 0.02, 11);
}

SweepResult ladderSweep() {
  return testSweep(120, bestBy({{{square(128), {}, 1024}, {square(512), {}, 128}}, 16}), 0.02, 11);
}

TEST(Recommendation, PrefersTwoDIfReductionSizeMatters) {
  const auto all = recommend(gridSweep(), SourceForm::chain);
  ASSERT_EQ(all.size(), 1U);
  const Recommendation& one = all.front();
  EXPECT_TRUE(one.takeTwoD) << one.why;
  EXPECT_THAT(one.why, StartsWith("2-D: "));
  EXPECT_LT(one.twoD.crossValidated.geomeanRatio, 1.1);
  EXPECT_GT(one.oneD.crossValidated.geomeanRatio, one.twoD.crossValidated.geomeanRatio);
  EXPECT_EQ(one.taken(), one.twoD);
  EXPECT_EQ(one.twoD.inSample.regressed, 0);
  EXPECT_EQ(one.twoD.heuristic.range.shapes, 120);
  EXPECT_EQ(one.oneD.heuristic.range, one.twoD.heuristic.range);
  EXPECT_EQ(one.twoD.codeLines, static_cast<std::int64_t>(ladderCode(one.twoD.heuristic).size()));
  EXPECT_EQ(one.twoD.crossValidated.shapes + one.twoD.crossValidated.unknown, 120);
}

TEST(Recommendation, PrefersOneDIfEquallyGood) {
  const Recommendation one = recommend(ladderSweep(), SourceForm::chain).at(0);
  EXPECT_FALSE(one.takeTwoD);
  EXPECT_THAT(one.why, HasSubstr("must gain more than 1 %"));
  EXPECT_LT(one.oneD.crossValidated.geomeanRatio, 1.06);
  EXPECT_EQ(one.oneD.heuristic.form, SourceForm::chain);
}

TEST(Recommendation, ReturnsOnePerKind) {
  SweepResult sweep = ladderSweep();
  sweep.shapes.resize(20);
  for (std::size_t i = 0; i < 10; ++i) {
    model::Reduction& reduction = sweep.shapes[i].reduction;
    reduction.kind = ReductionKind::convolution;
    reduction.outputChannelSize = reduction.mSize;
    reduction.batchSize = reduction.nSize;
  }
  const auto all = recommend(sweep, SourceForm::functions);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].oneD.heuristic.kind, ReductionKind::convolution);
  EXPECT_EQ(all[1].twoD.heuristic.kind, ReductionKind::matmul);
  EXPECT_EQ(all[0].oneD.inSample.shapes, 10);
}

TEST(Recommendation, ReportsTooFewShapes) {
  SweepResult sweep = ladderSweep();
  sweep.shapes.resize(1);
  const Recommendation one = recommend(sweep, SourceForm::functions).at(0);
  EXPECT_FALSE(one.takeTwoD);
  EXPECT_THAT(one.why, HasSubstr("too few shapes"));
  EXPECT_TRUE(recommend({}, SourceForm::functions).empty());
}

TEST(Recommendation, IsDeterministic) {
  EXPECT_EQ(recommend(gridSweep(), SourceForm::functions),
            recommend(gridSweep(), SourceForm::functions));
}

class RecommendationOfSeed : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RecommendationOfSeed, testing::Range<std::uint64_t>(0, 5));

TEST_P(RecommendationOfSeed, FindsKnownLadderWithoutRegressions) {
  const Ladder known{{{square(64), {}, 1024}, {square(256), {}, 128}, {square(1024), {}, 32}}, 16};
  const SweepResult sweep = testSweep(100, bestBy(known), 0.03, GetParam());
  const Recommendation one = recommend(sweep, SourceForm::chain).at(0);
  EXPECT_EQ(one.taken().inSample.regressed, 0);
  EXPECT_EQ(one.taken().inSample.improved, 100);
  EXPECT_LT(one.oneD.crossValidated.geomeanRatio, 1.1);
}

TEST(Recommendation, KeepsCompilersCodeWithoutProvenGain) {
  FittedHeuristic fitted;
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), std::nullopt) << "there is no baseline";
  fitted.inSample.neutral = 3;
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), "no shape is predicted to improve");
  fitted.inSample.improved = 1;
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), std::nullopt);
  fitted.validated = model::ValidationCounts{.neutral = 3, .ambiguous = 1};
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), "no shape improved in the validation");
  fitted.validated->improved = 5;
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), std::nullopt);
  fitted.validated->failed = 2;
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), "2 shapes failed in the validation");
  fitted.validated->regressed = 1;
  EXPECT_EQ(reasonToKeepCompilersCode(fitted), "1 shape regressed in the validation");
}

TEST(RecommendationJson, RoundTrips) {
  auto all = recommend(gridSweep(), SourceForm::functions);
  all[0].twoD.validated = model::ValidationCounts{
      .improved = 1, .neutral = 2, .ambiguous = 3, .regressed = 4, .failed = 5};
  const auto read = model::recommendationsFrom(nlohmann::json::parse(model::toJson(all).dump()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, all);
}

TEST(RecommendationJson, ReadsFilesWithoutRange) {
  nlohmann::json json = toJson(recommend(ladderSweep(), SourceForm::functions));
  nlohmann::json& heuristic = json["recommendations"][0]["one_d"]["heuristic"];
  heuristic.erase("range");
  heuristic.erase("modest_reduction");
  EXPECT_EQ(model::recommendationsFrom(json).value().at(0).oneD.heuristic.range, MeasuredRange{});
  heuristic["range"] = {{"shapes", 3}, {"output", {1}}, {"reduction", {1, 2}}};
  EXPECT_THAT(model::recommendationsFrom(json).error().message, HasSubstr("two numbers"));
}

TEST(RecommendationJson, IsStoredInResultsFolder) {
  const ScratchFolder scratch = ScratchFolder::create().value();
  EXPECT_THAT(readRecommendations(scratch.path()).error().message, HasSubstr("hone split analyze"));
  const auto all = recommend(ladderSweep(), SourceForm::functions);
  ASSERT_TRUE(writeRecommendations(scratch.path(), all));
  EXPECT_EQ(readRecommendations(scratch.path()).value(), all);
  ASSERT_TRUE(writeFile(scratch.path() / "recommendation.json", "{"));
  EXPECT_THAT(readRecommendations(scratch.path()).error().message,
              HasSubstr("recommendation.json: invalid JSON"));
}

TEST(RecommendationJson, NamesInvalidMember) {
  nlohmann::json json = toJson(recommend(ladderSweep(), SourceForm::functions));
  EXPECT_THAT(model::recommendationsFrom(nlohmann::json::array()).error().message,
              HasSubstr("must be an object"));
  json["recommendations"][0]["one_d"]["heuristic"]["kind"] = "softmax";
  EXPECT_THAT(model::recommendationsFrom(json).error().message, HasSubstr("softmax"));
  json["recommendations"][0].erase("two_d");
  EXPECT_THAT(model::recommendationsFrom(json).error().message, HasSubstr("'two_d' is missing"));
}

}  // namespace
}  // namespace hone::split
