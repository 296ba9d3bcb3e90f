#include "report/pages/gains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "model/result/summary/profile_row.h"

namespace hone::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunRecord makeRecord(const std::string& command, const json& summary,
                     store::RunStatus status = store::RunStatus::finished) {
  store::Run run;
  run.id = 7;
  run.command = command;
  run.status = status;
  run.summary = summary.dump();
  return {run, {}, TrialTimes({}, true)};
}

std::vector<Gain> gained(const std::string& command, const json& summary) {
  return collectGains(makeRecord(command, summary));
}

const json kTuned = {{"programs",
                      {{{"program", "m"},
                        {"default_ns", 300},
                        {"tuned_ns", 100},
                        {"speedup", {{"low", 2.9}, {"estimate", 3}, {"high", 3.1}}},
                        {"verdict", "improved"}},
                       {{"program", "n"}, {"default_ns", 50}}}}};

TEST(Gains, ListsProgramsOfTune) {
  const auto gains = gained("tune", kTuned);
  ASSERT_EQ(gains.size(), 2U);
  EXPECT_EQ(gains[0].run, 7);
  EXPECT_EQ(gains[0].what, "tune: m");
  EXPECT_EQ(gains[0].beforeNs, 300);
  EXPECT_EQ(gains[0].afterNs, 100);
  EXPECT_EQ(gains[0].speedup.low, 2.9);
  EXPECT_EQ(gains[0].verdict, "faster");
  EXPECT_EQ(gains[1].beforeNs, 50);
  EXPECT_TRUE(std::isnan(gains[1].afterNs)) << "unchanged";
  EXPECT_EQ(gains[1].verdict, "same");
}

json validated(double baselineUs, double low, double high, const std::string& verdict) {
  const json choice = {{"time_us", 1}, {"verdict", verdict}, {"speedup", {low, 2, high}}};
  return {{"baseline_us", baselineUs}, {"taken", "1-D"}, {"choices", {{"1-D", choice}}}};
}

TEST(Gains, SumsWorkloadOfSplit) {
  json untouched = validated(100, 1, 1, "neutral");
  untouched["choices"]["1-D"].erase("speedup");  // the compiler's default is recommended
  const auto gains =
      gained("split", {{"validated", {validated(200, 1.6, 2.5, "improved"), untouched}}});
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(gains[0].what, "split: total of 2 problems");
  EXPECT_EQ(gains[0].beforeNs, 300e3);
  EXPECT_EQ(gains[0].afterNs, 200e3);
  EXPECT_DOUBLE_EQ(gains[0].speedup.low, 300 / (200 / 1.6 + 100));
  EXPECT_DOUBLE_EQ(gains[0].speedup.estimate, 1.5);
  EXPECT_DOUBLE_EQ(gains[0].speedup.high, 300 / (200 / 2.5 + 100));
  EXPECT_EQ(gains[0].verdict, "faster");
  const auto noisy = gained("split", {{"validated", {validated(1, 0.9, 4, "improved")}}});
  EXPECT_EQ(noisy.front().verdict, "ambiguous");
  const auto unclear = gained("split", {{"validated", {validated(1, 1.2, 4, "ambiguous")}}});
  EXPECT_EQ(unclear.front().verdict, "ambiguous") << "not the same";
  const auto kept = gained("split", {{"validated", json::array({untouched})}});
  EXPECT_EQ(kept.front().verdict, "same");
  EXPECT_TRUE(std::isnan(kept.front().speedup.estimate)) << "nothing was measured against it";
  EXPECT_THAT(gained("split", {{"shapes", json::array()}}), IsEmpty()) << "nothing was validated";
  json failed = validated(100, 1, 1, "neutral");
  failed["choices"] = json::object();
  EXPECT_THAT(gained("split", {{"validated", {failed}}}), IsEmpty()) << "it was not measured";
}

json confirmed(bool improved) {
  return {{"kernel", "softmax"},
          {"improved", improved},
          {"confirmed",
           {{"original", {{"low", 3.9}, {"speedup", 4}, {"high", 4.1}, {"verdict", "improved"}}},
            {"original_ns", 80},
            {"best_ns", 20}}}};
}

TEST(Gains, ListsConfirmedKernels) {
  const auto one = gained("kernel", confirmed(true));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].what, "kernel: softmax");
  EXPECT_EQ(one[0].afterNs, 20);
  EXPECT_EQ(gained("kernel", confirmed(false)).front().verdict, "same");
  const auto several =
      gained("kernel", {{"kernels", {{"a", confirmed(true)}, {"b", confirmed(false)}}}});
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0].what, "kernel: a");
  EXPECT_EQ(several[0].verdict, "faster");
  EXPECT_EQ(several[1].verdict, "same");
  EXPECT_THAT(gained("kernel", {{"listed", json::array()}}), IsEmpty());
}

TEST(Gains, ListsWinnerOfBenchOrSecondOfPair) {
  const json baseline = {{"name", "baseline"}, {"time_ns", 100}};
  const auto candidate = [](const char* name, double speedup, const char* verdict) {
    return json{{"name", name},
                {"time_ns", 100 / speedup},
                {"speedup", {speedup - 0.1, speedup, speedup + 0.1}},
                {"verdict", verdict}};
  };
  const auto best = gained(
      "bench",
      {{"candidates", {baseline, candidate("a", 2, "improved"), candidate("b", 4, "improved")}}});
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].what, "bench: b");
  EXPECT_EQ(best[0].afterNs, 25);
  const auto lost = gained("bench", {{"candidates", {baseline, candidate("a", 0.5, "regressed")}}});
  EXPECT_EQ(lost.front().verdict, "slower");
  EXPECT_THAT(gained("bench", {{"candidates", json::array({baseline})}}), IsEmpty());
}

TEST(Gains, ListsLargestSpeedupOfProfile) {
  const auto row = [](const char* operation, const char* configuration, double ns) {
    model::ProfileRow one;
    one.operation = operation;
    one.provider = model::kIreeProvider;
    one.configuration = configuration;
    one.tile = "8x8";
    one.timeNs = ns;
    one.lowNs = 0.9 * ns;
    one.highNs = 1.1 * ns;
    one.verification = "SUCCESS";
    return toJson(one);
  };
  const auto gains =
      gained("profile", {{"rows",
                          {row("a", "tile_config_default", 100), row("a", "tile_config_1", 50),
                           row("b", "tile_config_default", 100), row("b", "tile_config_1", 20)}}});
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(gains[0].what, "profile: b with 8x8");
  EXPECT_DOUBLE_EQ(gains[0].speedup.low, 90.0 / 22);
  EXPECT_THAT(
      gained("profile",
             {{"rows", {row("a", "tile_config_default", 100), row("a", "tile_config_1", 90)}}}),
      IsEmpty())
      << "the intervals overlap";
}

TEST(Gains, IgnoresUnfinishedRuns) {
  EXPECT_THAT(collectGains(makeRecord("tune", kTuned, store::RunStatus::failed)), IsEmpty());
}

TEST(Gains, SummarizesCountSpeedupAndInterval) {
  auto gains = gained("tune", kTuned);
  const Answer answer = summarizeGains(gains);
  EXPECT_EQ(answer.headline, "Significant speedups: 1 of 2. Largest: tune: m is 3.00x as fast.");
  EXPECT_THAT(answer.lines, ElementsAre("tune: m: 3.00x (95 % CI 2.90–3.10)"));
  EXPECT_EQ(answer.tone, Answer::Tone::good);
  gains[1].verdict = "slower";
  EXPECT_EQ(summarizeGains(gains).tone, Answer::Tone::bad);
  gains.erase(gains.begin());
  gains[0].verdict = "ambiguous";
  EXPECT_EQ(summarizeGains(gains).headline, "No significant speedups.");
  EXPECT_EQ(summarizeGains(gains).tone, Answer::Tone::plain);
  EXPECT_THAT(summarizeGains({}).headline, HasSubstr("only measured"));
}

TEST(Gains, FitsTerminal) {
  auto gains = gained("tune", kTuned);
  gains[0].what = "profile: matmul_with_a_name_that_is_far_too_long_for_a_terminal_with_8x8_16x16";
  const std::string text = formatGains(gains, 80);
  for (const std::string& line : splitAt(text, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_THAT(text, HasSubstr("300 ns  100 ns    3.00x  2.90 - 3.10  faster"));
}

}  // namespace
}  // namespace hone::report
