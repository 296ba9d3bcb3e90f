#include "report/pages/test_run_document.h"
#include "report/render/page.h"

namespace hone::report {
namespace {

using model::Stage;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(RunDocumentTest, BenchNamesWinnerWithInterval) {
  begin("bench");
  addTrial("baseline", json::object(), {100, 101, 99});
  addTrial("baseline (again)", {{"twin", true}}, {100, 100, 100});
  addTrial("a", json::object(), {50, 51, 49});
  const json shown = finish(
      {{"candidates",
        {{{"name", "baseline"}, {"outcome", "ok"}, {"time_ns", 100}},
         {{"name", "a"},
          {"outcome", "ok"},
          {"time_ns", 50},
          {"verdict", "improved"},
          {"speedup", interval(2)}},
         {{"name", "b"}, {"outcome", "too_slow"}, {"time_ns", 300}, {"estimated_speedup", 0.25}},
         {{"name", "older"}, {"outcome", "too_slow"}, {"time_ns", 400}}}}});
  EXPECT_EQ(headline(shown), "a is 2.00x as fast as baseline: 100 ns → 50.0 ns.");
  EXPECT_EQ(shown["answer"]["tone"], "good");
  EXPECT_THAT(lines(shown),
              AllOf(HasSubstr("95 % CI 1.90–2.10"), HasSubstr("faster: the whole interval")));
  const json bars = part(shown, "Speedup over baseline");
  EXPECT_EQ(bars["names"], json({"a", "b"}));
  EXPECT_EQ(bars["groups"][0]["values"], json({2, 0.25}));
  EXPECT_EQ(bars["groups"][0]["low"], json({1.9, nullptr})) << "b has no interval";
  // Its time is of another stage than the baseline's, so there is no speedup.
  EXPECT_EQ(part(shown, "Candidates")["rows"], 4);
  const json rounds = part(shown, "Final: time per round");
  ASSERT_EQ(rounds["series"].size(), 3U);
  EXPECT_EQ(rounds["series"][0]["role"], "baseline");
  EXPECT_EQ(rounds["series"][1]["role"], "faint");
  EXPECT_EQ(rounds["series"][2]["role"], "winner");
  EXPECT_EQ(rounds["series"][2]["y"], json({50, 51, 49})) << "CPU time, by round";
  EXPECT_EQ(part(shown, "All trials")["rows"], 3);
}

TEST_F(RunDocumentTest, BenchReportsSlowdown) {
  begin("bench");
  const json shown = finish({{"candidates",
                              {{{"name", "A"}, {"outcome", "ok"}, {"time_ns", 100}},
                               {{"name", "B"},
                                {"outcome", "ok"},
                                {"time_ns", 200},
                                {"verdict", "regressed"},
                                {"speedup", interval(0.5)}}}}});
  EXPECT_EQ(headline(shown), "B is 2.00x as slow as A.");
  EXPECT_EQ(shown["answer"]["tone"], "bad");
}

TEST_F(RunDocumentTest, ShowsPartialResultsOfUnfinishedRun) {
  begin("bench");
  addTrial("baseline", json::object(), {100}, Stage::screen);
  addTrial("a", json::object(), {80}, Stage::screen);
  const json shown = document();
  EXPECT_EQ(headline(shown), "Not finished: 2 trials so far.");
  EXPECT_THAT(lines(shown), HasSubstr("If it is no longer running"));
  EXPECT_THAT(lines(shown), HasSubstr("hone runs resume 1"));
  EXPECT_EQ(part(shown, "Speedup over baseline")["groups"][0]["values"], json({1.25}));
}

TEST_F(RunDocumentTest, ComparesTimesOfOneStageOnly) {
  begin("bench");
  addTrial("baseline", json::object(), {100}, Stage::screen);
  const auto addRound = [&](std::int64_t trial, double ns) {
    ASSERT_TRUE(addSample(trial, {.stage = Stage::race, .wallNs = ns, .cpuNs = ns}));
  };
  addTrial("racer", json::object(), {80}, Stage::screen);
  addTrial("screened", json::object(), {50}, Stage::screen);
  addRound(1, 200);  // the machine is slower now
  addRound(2, 160);
  const json shown = document();
  EXPECT_EQ(part(shown, "Speedup over baseline")["groups"][0]["values"], json({2, 1.25}));
}

TEST_F(RunDocumentTest, FailedRunShowsReason) {
  begin("tune");
  const json shown = finish({{"error", "m.mlir does not compile"}}, store::RunStatus::failed);
  EXPECT_EQ(headline(shown), "This run failed.");
  EXPECT_EQ(shown["answer"]["tone"], "bad");
  EXPECT_THAT(lines(shown), HasSubstr("m.mlir does not compile"));
}

TEST_F(RunDocumentTest, SeveralRunsStartWithSpeedups) {
  const std::int64_t first = begin("profile");
  finish({{"rows", json::array({toJson(makeRow("IREE Codegen", "tile_config_default", 200))})}});
  const std::int64_t second = begin("tune");
  finish(tuned(json::object()));
  const json shown = together({first, second});
  EXPECT_EQ(headline(shown), "Significant speedups: 1 of 1. Largest: tune: m is 3.00x as fast.");
  EXPECT_THAT(lines(shown), HasSubstr("95 % CI 2.90–3.10"));
  EXPECT_EQ(shown["answer"]["tone"], "good");
  const json& gains = shown["parts"][0];
  EXPECT_EQ(gains["title"], "Speedups");
  EXPECT_EQ(gains["columns"][0]["numbers"], json({second}));
  EXPECT_EQ(gains["columns"][2]["numbers"], json({3}));
  EXPECT_EQ(gains["columns"][6]["numbers"], json({300}));
  EXPECT_EQ(gains["columns"][7]["numbers"], json({100}));
  const json results = part(shown, "Results by run")["columns"];
  EXPECT_EQ(results[2]["texts"],
            json({"1 operation, 25 % of the roofline", "faster: 3.00x (95 % CI 2.90–3.10)"}));
  EXPECT_EQ(results[3]["texts"], json({"hone profile x", "hone tune x"}));
  const json& tabs = shown["parts"].back()["tabs"];
  ASSERT_EQ(tabs.size(), 2U);
  EXPECT_EQ(tabs[1]["name"], fmt::format("{}: tune", second));
  const json& parts = tabs[1]["parts"];
  EXPECT_EQ(parts[0]["text"], "m is 3.00x as fast: 300 ns → 100 ns.");
  EXPECT_THAT(parts[1]["text"].get<std::string>(), HasSubstr("faster: the whole interval"));
  EXPECT_THAT(parts[2]["columns"].dump(), AllOf(HasSubstr("local-sync"), HasSubstr("CPU time")));
  EXPECT_EQ(parts.back()["title"], "All trials");
}

TEST_F(RunDocumentTest, FailedRunAmongSeveralSetsBadTone) {
  const std::int64_t first = begin("tune");
  finish(tuned(json::object()));
  const std::int64_t second = begin("kernel");
  finish({{"error", "no compiler"}}, store::RunStatus::failed);
  const json shown = together({first, second});
  EXPECT_EQ(shown["answer"]["tone"], "bad");
  EXPECT_THAT(lines(shown), HasSubstr("Run 2, kernel: This run failed."));
  EXPECT_EQ(together({first})["answer"]["tone"], "good");
}

TEST_F(RunDocumentTest, RunsWithoutBaselineHaveNoGains) {
  const std::int64_t run = begin("profile");
  finish({{"rows", json::array({toJson(makeRow("IREE Codegen", "tile_config_default", 200))})}});
  const json shown = together({run, run});
  EXPECT_THAT(headline(shown), HasSubstr("only measured"));
  EXPECT_EQ(shown["answer"]["tone"], "plain") << "a verified result is not a speedup";
}

TEST_F(RunDocumentTest, UnknownResultFormatShowsTrials) {
  begin("tune");
  addTrial("default", json::object(), {100});
  json odd = tuned({{"flags", {1, 2}}});
  const json shown = finish(odd);
  EXPECT_THAT(headline(shown), HasSubstr("Unknown result format"));
  EXPECT_EQ(part(shown, "All trials")["rows"], 1);
}

TEST_F(RunDocumentTest, AcceptsAnyVerbAndSummary) {
  const std::vector<json> odd = {nullptr,
                                 5,
                                 "text",
                                 json::array({1, "x"}),
                                 {{"rows", 5},
                                  {"programs", {7}},
                                  {"shapes", {nullptr, 3}},
                                  {"listed", "x"},
                                  {"candidates", {1, 2}},
                                  {"kernels", 1},
                                  {"recommendations", {{"recommendations", {4}}}},
                                  {"validation", 3},
                                  {"program", {{"dispatches", {1}}}}}};
  for (const char* command : {"bench", "profile", "split", "tune", "kernel", "other"}) {
    for (const json& summary : odd) {
      begin(command, {{"spaces", 4}, {"kernels", {{"", {3}}, {"a", 5}}}});
      addTrial("x", {{"kernel", 5}, {"scope", 3}, {"row", 7}}, {100});
      const json shown = finish(summary);
      EXPECT_FALSE(headline(shown).empty()) << command << summary;
      EXPECT_EQ(part(shown, "All trials")["rows"], 1);
      EXPECT_FALSE(headline(together({shownRun()})).empty()) << command << summary;
    }
  }
}

}  // namespace
}  // namespace hone::report
