#include "report/pages/test_run_document.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using nlohmann::json;
using testing::HasSubstr;

using TuneDocument = RunDocumentTest;

json searched() {
  return {{"spaces", {{"m_dispatch_0", {{{"name", "rows"}}, {{"name", "peel"}}}}}}};
}

json screened(double ns) { return {{"scope", "m_dispatch_0"}, {"screen_ns", ns}}; }

TEST_F(TuneDocument, ShowsSearch) {
  begin("tune", searched());
  addTrial("default", screened(100));
  addTrial("twin", {{"scope", "m_dispatch_0"}, {"twin", true}});
  addTrial("rows=4 peel=0", screened(200));
  addTrial("rows=8 peel=1", screened(50));
  addTrial("rows=8 peel=0", screened(80));
  addTrial("rows=16 peel=0", {{"scope", "m_dispatch_0"}}, {}, Stage::screen,
           Outcome::compileFailed);
  const json shown = finish(tuned(json::object()));
  EXPECT_EQ(headline(shown), "m is 3.00x as fast: 300 ns → 100 ns.");
  const json tabs = part(shown, "Best so far")["tabs"];
  ASSERT_EQ(tabs.size(), 1U) << "these trials have no times of day";
  const json& best = tabs[0]["parts"][0]["series"][0];
  EXPECT_EQ(best["name"], "dispatch_0");
  EXPECT_EQ(best["x"], json({3, 4, 6}));
  EXPECT_EQ(best["y"], json({0.5, 2, 2}));
  const json& knobs = shown["parts"][shown["parts"].size() - 2]["tabs"][0]["parts"];
  EXPECT_EQ(knobs[0]["names"], json({"rows (best 8)", "peel (best 1)"}));
  EXPECT_EQ(knobs[1]["knobs"].size(), 3U);
  EXPECT_EQ(knobs[1]["knobs"][0]["values"], json({4, 8, 8}));
  EXPECT_EQ(knobs[1]["winner"], 1);
  const json shares = part(shown, "Time breakdown of m");
  EXPECT_EQ(shares["groups"][0]["values"], json({270, 90})) << "estimated from its speedup";
  EXPECT_THAT(shares["note"].get<std::string>(), HasSubstr("estimate"));
}

TEST_F(TuneDocument, DrawsDataFlowBetweenDispatches) {
  begin("tune");
  const json graph = {{"nodes",
                       {{{"kind", "input"}, {"name", "input0"}},
                        {{"kind", "dispatch"}, {"name", "m_dispatch_0"}},
                        {{"kind", "output"}, {"name", "output0"}}}},
                      {"edges",
                       {{{"from", 0}, {"to", 1}, {"type", "tensor<4xf32>"}},
                        {{"from", 1}, {"to", 2}, {"type", "tensor<8xf32>"}}}}};
  const json shown = part(finish(tuned({{"graph", graph}})), "Dispatches of m: data flow");
  EXPECT_EQ(shown["type"], "graph");
  ASSERT_EQ(shown["nodes"].size(), 3U);
  EXPECT_EQ(shown["nodes"][1]["label"], "dispatch_0");
  EXPECT_EQ(shown["nodes"][1]["row"], 1);
  EXPECT_EQ(shown["nodes"][0]["role"], "baseline");
  EXPECT_EQ(shown["edges"][1]["label"], "tensor<8xf32>");
}

TEST_F(TuneDocument, ShowsGainOnFreshMemoryIfItDiffers) {
  const auto withFresh = [](double speedup) {
    return tuned({{"fresh_memory",
                   {{"default_ns", 420}, {"tuned_ns", 200}, {"speedup", interval(speedup)}}}});
  };
  begin("tune");
  EXPECT_THAT(lines(finish(withFresh(2.1))),
              HasSubstr("iree-benchmark-module measures: 420 ns → 200 ns, 2.10x"));
  begin("tune");
  EXPECT_THAT(lines(finish(withFresh(3.05))), Not(HasSubstr("fresh memory")));
}

TEST_F(TuneDocument, ShowsSizesAndOnnxRuntimeOfModel) {
  begin("tune");
  const std::string shown = lines(finish(
      tuned({{"sizes", "batch=1"},
             {"verified", "reference"},
             {"alternative", {{"name", "onnxruntime"}, {"time_ns", 150}, {"speedup", interval(2)}}},
             {"other_sizes",
              {{{"sizes", "batch=8"},
                {"default_ns", 900},
                {"tuned_ns", 300},
                {"speedup", interval(3)}}}}})));
  EXPECT_THAT(shown, HasSubstr("m: for batch=1."));
  EXPECT_THAT(shown, HasSubstr("With batch=8: 900 ns → 300 ns, 3.00x"));
  EXPECT_THAT(shown, HasSubstr("ONNX Runtime on the same threads, in the same rounds: 150 ns."));
}

TEST_F(TuneDocument, ShowsLayersWithTimePerWay) {
  begin("tune");
  const json layer = {{"op", "linalg.conv_2d_nchw_fchw"},
                      {"operands", {"1x8x6x6xf32", "4x8x3x3xf32", "1x4x4x4xf32"}},
                      {"result", "1x4x4x4xf32"},
                      {"attributes", json::object()},
                      {"calls", 2}};
  const json shown = finish(tuned({{"layers",
                                    {{{"layer", layer},
                                      {"way", "per row"},
                                      {"ns", {{"direct", 60}, {"per row", 20}}},
                                      {"default_ns", 80}}}}}));
  const json columns = part(shown, "Layers of m, each measured alone")["columns"];
  ASSERT_EQ(columns.size(), 9U);
  EXPECT_EQ(columns[0]["texts"], json({"conv_2d_nchw_fchw 1x8x6x6 by 4x8x3x3"}));
  EXPECT_EQ(columns[2]["numbers"], json({80}));
  EXPECT_EQ(columns[3]["numbers"], json({20}));
  EXPECT_EQ(columns[4]["numbers"], json({4}));
  EXPECT_EQ(columns[5]["texts"], json({"per row"}));
  EXPECT_EQ(columns[7]["numbers"], json({60}));
}

TEST_F(TuneDocument, ShowsFlagsColumnOnlyIfUsed) {
  begin("tune");
  json summary = tuned(json::object());
  EXPECT_EQ(part(finish(summary), "Dispatches of m")["columns"][4]["name"], "share");
  json& variants = summary["programs"][0]["variants"];
  variants.push_back(variants[0]);
  variants[1]["name"] = "data tiling";
  begin("tune");
  const json flags = part(finish(summary), "Dispatches of m")["columns"][4];
  EXPECT_EQ(flags["name"], "flags");
  EXPECT_EQ(flags["texts"]["texts"], json({"", "data tiling"}));
  EXPECT_EQ(flags["texts"]["at"], json({0, 0, 1, 1}));
}

TEST_F(TuneDocument, ShowsMeasuredDispatchTimes) {
  begin("tune");
  const json shown = finish(tuned({{"dispatch_times",
                                    {{"before", {{{"name", "m_dispatch_0"}, {"time_ns", 280}}}},
                                     {"after",
                                      {{{"name", "m_dispatch_0"}, {"time_ns", 70}},
                                       {{"name", "m_dispatch_0_pack"}, {"time_ns", 10}}}}}}}));
  const json shares = part(shown, "Time breakdown of m");
  EXPECT_EQ(shares["names"], json({"before", "after"}));
  EXPECT_EQ(shares["groups"][0]["values"], json({280, 70}));
  EXPECT_EQ(shares["groups"][1]["values"], json({0, 10}));
}

TEST_F(TuneDocument, MarksWinner) {
  const json proof = {{"scope", "proof"}};
  const auto roles = [](const json& shown, const std::string& title) {
    const json plot = part(shown, title);
    json list = json::array();
    for (const json& series : plot["series"]) {
      list.push_back(series["role"]);
    }
    return list;
  };
  begin("tune");
  addTrial("default", proof, {900e3, 900e3, 900e3});
  addTrial("default (again)", {{"scope", "proof"}, {"twin", true}}, {901e3, 901e3, 901e3});
  addTrial("data tiling", proof, {600e3, 600e3, 600e3});
  addTrial("tuned", proof, {301e3, 300e3, 302e3});
  EXPECT_EQ(roles(document(), "Candidates and default: time per round"),
            json({"baseline", "faint", "plain", "plain"}))
      << "no winner yet";
  const json shown = finish(tuned({{"default_ns", 900e3}, {"tuned_ns", 301e3}}));
  EXPECT_EQ(roles(shown, "Winner and default: time per round"),
            json({"baseline", "faint", "plain", "winner"}));
  EXPECT_EQ(headline(shown), "m is 3.00x as fast: 900 µs → 301 µs.");
}

TEST_F(TuneDocument, ReportsNoSpeedup) {
  begin("tune");
  const json variant = {{"name", ""},
                        {"dispatches", json::array({{{"name", "m_dispatch_0"}, {"share", 1}}})}};
  const json shown = finish({{"programs",
                              {{{"program", "m"},
                                {"improved", false},
                                {"default_ns", 100},
                                {"variants", json::array({variant})}}}}});
  EXPECT_EQ(headline(shown), "No significant speedup; keep the compiler's default.");
  EXPECT_EQ(lines(shown), "[]") << "must not repeat the headline";
  EXPECT_EQ(part(shown, "Time breakdown of m")["groups"][0]["values"], json({100}))
      << "no time after tuning";
  EXPECT_EQ(shown["answer"]["tone"], "plain");
}

TEST_F(TuneDocument, ExplainsNoSpeedup) {
  begin("tune");
  const json variant = {{"name", ""},
                        {"dispatches",
                         {{{"name", "m_dispatch_0"},
                           {"share", 0.25},
                           {"tried", 16},
                           {"failed", 1},
                           {"space", 40},
                           {"finalists", 0},
                           {"search_end", "budget"}},
                          {{"name", "m_dispatch_1"}, {"share", 0.75}, {"why_not", "no knobs"}}}}};
  const json shown = finish({{"programs",
                              {{{"program", "m"},
                                {"improved", false},
                                {"default_ns", 100},
                                {"flag_sets", 5},
                                {"variants", json::array({variant})}}}}});
  EXPECT_EQ(
      shown["answer"]["lines"],
      json({"dispatch_1 (75 % of the time): not tuned: no knobs.",
            "dispatch_0 (25 % of the time): none of 16 candidates was faster than the default "
            "in screening; the budget was used up after 16 of 40 candidates.",
            "Program-wide flags: 5 sets tried, none significantly faster."}));
  const json table = part(shown, "Dispatches of m")["columns"];
  EXPECT_THAT(table[6]["texts"][0].get<std::string>(),
              HasSubstr("compiler's default kept: none of 16 candidates"));
}

TEST_F(TuneDocument, LeavesOutConstantKnobs) {
  json details = searched();
  details["spaces"]["m_dispatch_0"].push_back({{"name", "stages"}});
  const auto knobsOf = [&](const std::vector<std::string>& names) {
    begin("tune", details);
    addTrial("default", screened(100));
    for (const std::string& name : names) {
      addTrial(name, screened(50));
    }
    const json shown = document();
    return shown["parts"][shown["parts"].size() - 2]["tabs"][0]["parts"];
  };
  const json some = knobsOf({"rows=4 peel=0 stages=2", "rows=8 peel=0 stages=2"});
  EXPECT_EQ(some[0]["names"].size(), 1U);
  ASSERT_EQ(some[1]["knobs"].size(), 2U) << "rows and the speedup";
  EXPECT_EQ(some[1]["knobs"][0]["axis"]["label"], "rows");
  EXPECT_THAT(some[1]["note"].get<std::string>(),
              testing::EndsWith("Constant: peel = 0, stages = 2."));
  const json all = knobsOf({"rows=4 peel=0 stages=2"});
  ASSERT_EQ(all.size(), 1U) << "no plot";
  EXPECT_EQ(all[0]["text"], "Constant: rows = 4, peel = 0, stages = 2.");
  EXPECT_THAT(
      knobsOf({"rows=4 peel=0 stages=2", "rows=8 peel=1 stages=4"})[1]["note"].get<std::string>(),
      testing::Not(HasSubstr("Constant")));
}

TEST_F(TuneDocument, PlotsProgressOverTime) {
  begin("tune", searched());
  json first = screened(100);
  first["at_ms"] = 1000;
  json second = screened(50);
  second["at_ms"] = 3000;
  addTrial("default", first);
  addTrial("rows=8 peel=1", second);
  const json shown = document();
  const json tabs = part(shown, "Best so far")["tabs"];
  ASSERT_EQ(tabs.size(), 2U);
  EXPECT_EQ(tabs[1]["parts"][0]["series"][0]["x"], json({2e9}));
  EXPECT_THAT(lines(shown), HasSubstr("dispatch_0: 1 candidate; best so far: 2.00x as fast"));
}

}  // namespace
}  // namespace hone::report
