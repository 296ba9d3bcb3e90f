#include "report/render/tune_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::report {
namespace {

using model::SearchEnd;
using model::TunedDispatch;
using testing::ElementsAre;
using testing::IsEmpty;

TunedDispatch searchedDispatch() {
  TunedDispatch dispatch;
  dispatch.name = "main_dispatch_0_matmul";
  dispatch.tried = 16;
  dispatch.failed = 2;
  dispatch.space = 100;
  dispatch.searchEnd = SearchEnd::plateau;
  dispatch.finalists = 0;
  return dispatch;
}

TEST(TuneReasons, NamesStageThatEndedTheSearch) {
  TunedDispatch dispatch = searchedDispatch();
  EXPECT_EQ(explainDefaultKept(dispatch),
            "none of 16 candidates was faster than the default in screening");
  dispatch.searchEnd = SearchEnd::budget;
  EXPECT_EQ(explainDefaultKept(dispatch),
            "none of 16 candidates was faster than the default in screening; the budget was used "
            "up after 16 of 100 candidates");
  dispatch.failed = 16;
  dispatch.searchEnd = SearchEnd::exhausted;
  EXPECT_EQ(explainDefaultKept(dispatch), "all 16 candidates failed");
  dispatch.tried = 0;
  EXPECT_EQ(explainDefaultKept(dispatch), "no candidate could be proposed");
  dispatch.searchEnd = SearchEnd::budget;
  EXPECT_EQ(explainDefaultKept(dispatch), "the budget was used up before a candidate was tried");
  dispatch.skipReason = "no configuration reaches it";
  EXPECT_EQ(explainDefaultKept(dispatch), "not tuned: no configuration reaches it");
}

TEST(TuneReasons, ExplainsBestFinalist) {
  TunedDispatch dispatch = searchedDispatch();
  dispatch.finalists = 2;
  const auto explained = [&](const stats::Interval& speedup, double floor) {
    dispatch.bestFinalist = {.point = "rows=8",
                             .comparison = {.verdict = stats::Verdict::ambiguous,
                                            .speedup = speedup,
                                            .floor = floor,
                                            .rounds = 20}};
    return explainDefaultKept(dispatch);
  };
  EXPECT_EQ(explained({0.98, 1.02, 1.06}, 0.01),
            "best candidate 1.02x (95 % CI 0.98–1.06): the interval includes 1");
  EXPECT_EQ(
      explained({1.02, 1.04, 1.06}, 0.032),
      "best candidate 1.04x (95 % CI 1.02–1.06): the gain is within the noise floor of 3.2 %");
}

TEST(TuneReasons, HasNoReasonsForOlderRuns) {
  TunedDispatch dispatch = searchedDispatch();
  dispatch.searchEnd.reset();
  dispatch.finalists.reset();
  EXPECT_EQ(explainDefaultKept(dispatch), "no gain");
  const model::TunedProgram program{
      .program = "m",
      .layers = {},
      .variants = {{.name = "", .flags = {}, .dispatches = {dispatch}}},
      .noGain = {},
      .flagSets = std::nullopt,
      .defaultNs = std::nullopt,
      .proof = std::nullopt};
  EXPECT_THAT(explainNoGain(program), IsEmpty());
  EXPECT_EQ(explainNoGainBriefly(program), "");
}

TEST(TuneReasons, StartsWithAttemptsOnWholeProgram) {
  model::TunedProgram program;
  program.noGain = {"tuned: 1.01x as fast (95 % CI 0.97-1.05), the interval includes 1"};
  for (int i = 0; i < 5; ++i) {
    TunedDispatch dispatch = searchedDispatch();
    dispatch.name = "main_dispatch_" + std::to_string(i);
    dispatch.share = 0.1 * i;
    program.variants.resize(1);
    program.variants[0].name = "data tiling";
    program.variants[0].dispatches.push_back(dispatch);
  }
  const std::string why = "none of 16 candidates was faster than the default in screening.";
  EXPECT_THAT(explainNoGain(program),
              ElementsAre("Whole program, " + program.noGain[0] + ".",
                          "dispatch_4 with data tiling (40 % of the time): " + why,
                          "dispatch_3 with data tiling (30 % of the time): " + why,
                          "dispatch_2 with data tiling (20 % of the time): " + why,
                          "The table has the reasons for 2 more dispatches."));
  EXPECT_EQ(explainNoGainBriefly(program), program.noGain[0]);
}

TEST(TuneReasons, SurviveTheStore) {
  TunedDispatch dispatch = searchedDispatch();
  dispatch.finalists = 1;
  dispatch.bestFinalist = {.point = "rows=8",
                           .comparison = {.verdict = stats::Verdict::neutral,
                                          .speedup = {0.99, 1, 1.01},
                                          .floor = 0.02,
                                          .rounds = 20}};
  model::TuneResult result;
  result.programs.resize(1);
  result.programs[0].flagSets = 3;
  result.programs[0].variants.push_back({.name = "", .flags = {}, .dispatches = {dispatch}});
  const auto read = model::tuneResultFrom(toJson(result)).value();
  EXPECT_EQ(explainNoGain(read.programs[0]), explainNoGain(result.programs[0]));
  EXPECT_EQ(explainNoGain(read.programs[0]).size(), 2U);
  nlohmann::json newer = toJson(result);
  newer["programs"][0]["variants"][0]["dispatches"][0]["search_end"] = "a reason of the future";
  EXPECT_TRUE(model::tuneResultFrom(newer));
}

}  // namespace
}  // namespace hone::report
