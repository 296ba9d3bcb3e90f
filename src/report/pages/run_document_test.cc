#include "report/pages/run_document.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/result/summary/profile_row.h"
#include "report/render/page.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class RunDocument : public testing::Test {
 protected:
  RunDocument()
      : folder_(ScratchFolder::create("hone-document").value()),
        store_(store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value()) {}

  std::int64_t begin(const std::string& command, const json& details = json::object()) {
    store::Run run;
    run.key = run.command = command;
    run.arguments = {command, "x"};
    run.device = "local-sync";
    run.details = model::runDetailsFrom(details);
    return run_ = store_.addRun(run).value();
  }
  /// Adds a trial with one sample per round.
  void addTrial(const std::string& key, const json& details, const std::vector<double>& cpuNs = {},
                Stage stage = Stage::final, Outcome outcome = Outcome::ok) {
    store::Trial trial;
    trial.key = trial.config.name = key;
    trial.outcome = outcome;
    trial.details = model::trialDetailsFrom(details);
    std::vector<model::Sample> samples;
    for (const double ns : cpuNs) {
      samples.push_back({.stage = stage,
                         .round = static_cast<std::int64_t>(samples.size()),
                         .wallNs = 2 * ns,
                         .cpuNs = ns});
    }
    ASSERT_TRUE(store_.addTrial(run_, trial, samples));
  }
  [[nodiscard]] bool addTrial(const store::Trial& trial,
                              const std::vector<model::Sample>& samples) {
    return store_.addTrial(run_, trial, samples).has_value();
  }
  [[nodiscard]] bool addSample(std::int64_t trial, const model::Sample& sample) {
    return store_.addSamples(std::vector<store::TrialSample>{{trial, sample}}).has_value();
  }
  json finish(const json& summary, store::RunStatus status = store::RunStatus::finished) {
    EXPECT_TRUE(store_.finishRun(run_, status, summary));
    return document();
  }
  json document() { return runDocument(store_, run_).value().json(); }
  [[nodiscard]] json together(const std::vector<std::int64_t>& runs) const {
    return runsDocument(runsAnswers(store_, runs).value()).json();
  }

  [[nodiscard]] std::int64_t shownRun() const { return run_; }

  static json part(const json& document, const std::string& title) {
    for (const json& one : document["parts"]) {
      if (one.value("title", "") == title) {
        return one;
      }
    }
    ADD_FAILURE() << "no part " << title << " in " << titles(document);
    return json::object();
  }
  static std::string titles(const json& document) {
    std::string all;
    for (const json& one : document["parts"]) {
      all += one.value("title", one.value("text", "")) + "; ";
    }
    return all;
  }
  static std::string headline(const json& document) { return document["answer"]["headline"]; }
  static std::string lines(const json& document) { return document["answer"]["lines"].dump(); }

 private:
  ScratchFolder folder_;
  store::Store store_;
  std::int64_t run_ = 0;
};

json interval(double estimate) {
  return {{"low", estimate - 0.1}, {"estimate", estimate}, {"high", estimate + 0.1}};
}

TEST_F(RunDocument, BenchNamesWinnerWithInterval) {
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

TEST_F(RunDocument, BenchReportsSlowdown) {
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

TEST_F(RunDocument, ShowsPartialResultsOfUnfinishedRun) {
  begin("bench");
  addTrial("baseline", json::object(), {100}, Stage::screen);
  addTrial("a", json::object(), {80}, Stage::screen);
  const json shown = document();
  EXPECT_EQ(headline(shown), "Not finished: 2 trials so far.");
  EXPECT_THAT(lines(shown), HasSubstr("If it is no longer running"));
  EXPECT_THAT(lines(shown), HasSubstr("hone runs resume 1"));
  EXPECT_EQ(part(shown, "Speedup over baseline")["groups"][0]["values"], json({1.25}));
}

TEST_F(RunDocument, ComparesTimesOfOneStageOnly) {
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

TEST_F(RunDocument, FailedRunShowsReason) {
  begin("tune");
  const json shown = finish({{"error", "m.mlir does not compile"}}, store::RunStatus::failed);
  EXPECT_EQ(headline(shown), "This run failed.");
  EXPECT_EQ(shown["answer"]["tone"], "bad");
  EXPECT_THAT(lines(shown), HasSubstr("m.mlir does not compile"));
}

model::ProfileRow row(const std::string& provider, const std::string& configuration,
                      double timeNs) {
  model::ProfileRow row;
  row.operation = "matmul_8x8x8";
  row.dispatch = row.operation + "_" + configuration;
  row.provider = provider;
  row.configuration = configuration;
  row.tile = "8x8";
  row.flops = 1000;
  row.bytes = 100;
  row.timeNs = timeNs;
  row.lowNs = 0.9 * timeNs;
  row.highNs = 1.1 * timeNs;
  row.attainableGflops = 20;
  row.verification = "SUCCESS";
  return row;
}

TEST_F(RunDocument, ProfileDrawsRoofline) {
  begin("profile");
  json summary = {{"rooflines", {{{"type", "f32"}, {"gflops", 20}, {"gbps", 4}}}}};
  for (const auto& one :
       {row("IREE Codegen", "tile_config_default", 200),
        row("IREE Codegen", "tile_config_big", 100), row("oneDNN", "library", 80)}) {
    summary["rows"].push_back(toJson(one));
  }
  const json shown = finish(summary);
  EXPECT_EQ(headline(shown), "3 dispatches of 1 operation measured; 3 verified, none wrong.");
  EXPECT_THAT(lines(shown), AllOf(HasSubstr("reaches 50 % of the roofline"),
                                  HasSubstr("IREE is 1.25x as slow as oneDNN over 1 operation."),
                                  HasSubstr("matmul_8x8x8 is 2.00x as fast with 8x8")));
  const json roof = part(shown, "Roofline")["series"].back();
  EXPECT_EQ(roof["x"], json({2.5, 5, 20})) << "from half the ridge to twice the dispatch";
  EXPECT_EQ(roof["y"], json({10, 20, 20}));
  EXPECT_EQ(part(shown, "Failures")["rows"], 0);
}

TEST_F(RunDocument, ProfileFormatsRangeInOneDirection) {
  begin("profile");
  const auto describeLine = [&](double first, double second) {
    json summary;
    for (const auto& [operation, libraryNs] : {std::pair("a", first), {"b", second}}) {
      for (model::ProfileRow one :
           {row("IREE Codegen", "tile_config_default", 100), row("oneDNN", "library", libraryNs)}) {
        one.operation = operation;
        summary["rows"].push_back(toJson(one));
      }
    }
    return lines(finish(summary));
  };
  EXPECT_THAT(describeLine(80, 50),
              HasSubstr("1.58x as slow as oneDNN over 2 operations (geometric "
                        "mean; 1.25x to 2.00x)."));
  EXPECT_THAT(describeLine(200, 300), HasSubstr("(geometric mean; 2.00x to 3.00x)."));
  EXPECT_THAT(describeLine(50, 300), HasSubstr("mean; from 2.00x as slow to 3.00x as fast)."));
}

TEST_F(RunDocument, OlderProfileDrawsRooflineFromDispatches) {
  begin("profile");
  const json shown =
      finish({{"rows", json::array({toJson(row("IREE Codegen", "tile_config_default", 200))})}});
  const json roof = part(shown, "Roofline")["series"].back();
  EXPECT_EQ(roof["x"], json({10}));
  EXPECT_EQ(roof["y"], json({20}));
}

TEST_F(RunDocument, ProfileListsFailures) {
  begin("profile");
  model::ProfileRow wrong = row("IREE Codegen", "tile_config_default", 0);
  wrong.verification = "FAILED";
  wrong.message = "element 3 is 7, not 8";
  const json shown = finish({{"rows", json::array({toJson(wrong)})}});
  EXPECT_EQ(headline(shown), "1 of 1 dispatch failed.");
  EXPECT_EQ(shown["answer"]["tone"], "bad");
  EXPECT_EQ(part(shown, "Failures")["columns"][2]["texts"], json({"element 3 is 7, not 8"}));
}

json tuned(const json& more) {
  json program = {{"program", "m"},
                  {"default_ns", 300},
                  {"tuned_ns", 100},
                  {"speedup", interval(3)},
                  {"verdict", "improved"},
                  {"variants",
                   {{{"name", ""},
                     {"dispatches",
                      {{{"name", "m_dispatch_0"},
                        {"share", 0.9},
                        {"in_spec", true},
                        {"winner", {{"point", "rows=8 peel=1"}, {"speedup", interval(3)}}}},
                       {{"name", "m_dispatch_1"}, {"share", 0.1}, {"why_not", "no knobs"}}}}}}}};
  program.update(more);
  return {{"programs", json::array({program})}};
}

json searched() {
  return {{"spaces", {{"m_dispatch_0", {{{"name", "rows"}}, {{"name", "peel"}}}}}}};
}

json screened(double ns) { return {{"scope", "m_dispatch_0"}, {"screen_ns", ns}}; }

TEST_F(RunDocument, TuneShowsSearch) {
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

TEST_F(RunDocument, TuneShowsGainOnFreshMemoryIfItDiffers) {
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

TEST_F(RunDocument, TuneShowsSizesAndOnnxRuntimeOfModel) {
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

TEST_F(RunDocument, TuneShowsFlagsColumnOnlyIfUsed) {
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

TEST_F(RunDocument, TuneShowsMeasuredDispatchTimes) {
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

TEST_F(RunDocument, TuneMarksWinner) {
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

TEST_F(RunDocument, TuneReportsNoSpeedup) {
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

TEST_F(RunDocument, TuneExplainsNoSpeedup) {
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

TEST_F(RunDocument, TuneLeavesOutConstantKnobs) {
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

TEST_F(RunDocument, TunePlotsProgressOverTime) {
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

TEST_F(RunDocument, KernelShowsTurnsDiffAndConversation) {
  const json exchange = {{"turn", 1}, {"prompt", "make it fast"}, {"answer", "here it is"}};
  const json turn = {{"turn", 1},
                     {"decided", true},
                     {"best", "k1"},
                     {"best_speedup", 4},
                     {"speedups", {{"k0", 1}, {"k1", 4}}},
                     {"memory", json::array({nullptr, json::array({exchange})})},
                     {"analysis",
                      {{"category", "critical"},
                       {"share_of_roofline", 0.06},
                       {"roofline_ns", 1000},
                       {"findings", {{{"what", "a division"}, {"weight", 0.5}}}}}}};
  begin("kernel", {{"kernels", {{"", json::array({turn})}}}});
  const auto source = [](const std::string& text, int at) {
    return json{{"kernel", {{"source", text}, {"name", "softmax"}, {"techniques", {"hoisting"}}}},
                {"turn", at}};
  };
  addTrial("k0", source("a\nb\n", 0), {80, 80}, Stage::final);
  addTrial("k1", source("a\nc\n", 1), {20, 20}, Stage::final);
  addTrial("k2", source("x\n", 1), {}, Stage::screen, Outcome::mismatch);
  addTrial("the original, again", json::object(), {81, 79});
  const json shown = finish(
      {{"kernel", "softmax"},
       {"improved", true},
       {"best", "hoisted"},
       {"why", "the target is reached"},
       {"confirmed",
        {{"original",
          {{"low", 3.9}, {"speedup", 4}, {"high", 4.1}, {"rounds", 20}, {"verdict", "improved"}}},
         {"original_ns", 80},
         {"best_ns", 20}}}});
  EXPECT_EQ(headline(shown), "softmax is 4.00x as fast: 80.0 ns → 20.0 ns.");
  const json story = part(shown, "Speedup per turn");
  EXPECT_EQ(story["series"][0]["y"], json({1, 4})) << "best so far";
  EXPECT_EQ(story["note"], "2 candidates; 1 failed and has no time: see the table.");
  EXPECT_EQ(part(shown, "Candidates")["rows"], 3);
  EXPECT_THAT(part(shown, "Changes of the winner")["text"].get<std::string>(),
              AllOf(HasSubstr("\n-b\n"), HasSubstr("\n+c\n")));
  const json talk = part(shown, "Conversation with the model");
  EXPECT_EQ(talk["folded"], true);
  EXPECT_THAT(talk["text"].get<std::string>(),
              AllOf(HasSubstr("make it fast"), HasSubstr("here it is")));
  EXPECT_EQ(part(shown, "Analysis")["tabs"][0]["parts"][0]["rows"], 1);
  EXPECT_EQ(part(shown, "Winner and original: time per round")["series"].size(), 3U);
}

TEST_F(RunDocument, UnfinishedKernelShowsLastTurn) {
  const json turns = {{{"turn", 1}, {"decided", true}, {"best_speedup", 4}},
                      {{"turn", 2}, {"decided", false}}};
  begin("kernel", {{"kernels", {{"", turns}}}});
  EXPECT_THAT(lines(document()),
              AllOf(HasSubstr("The kernel: 4.00x as fast after turn 1, not confirmed yet."),
                    testing::Not(HasSubstr("\"\""))));
  begin("kernel", {{"kernels", {{"", json::array()}}}});
  EXPECT_EQ(document()["answer"]["lines"].size(), 1U) << "only how to resume";
}

TEST_F(RunDocument, SplitAttributesSlowerOracleToNoise) {
  const auto tally = [](double speedup) {
    return json{{"shapes", 3},   {"total_speedup", 1.5}, {"geomean_speedup", speedup},
                {"improved", 2}, {"neutral", 1},         {"ambiguous", 0},
                {"regressed", 0}};
  };
  const auto answered = [&](double oracle) {
    begin("split");
    return lines(finish({{"validation", {{"recommended", tally(2)}, {"oracle", tally(oracle)}}}}));
  };
  EXPECT_THAT(answered(1.9),
              HasSubstr("1.90x; it is below the recommended limits only because of noise."));
  EXPECT_THAT(answered(2.1), HasSubstr("limit of each problem: 2.10x."));
}

TEST_F(RunDocument, OlderSplitShowsTotals) {
  begin("split");
  const json shown = finish({{"validation",
                              {{"1-D",
                                {{"shapes", 3},
                                 {"total_speedup", 1.5},
                                 {"geomean_speedup", 1.4},
                                 {"improved", 2},
                                 {"neutral", 1},
                                 {"ambiguous", 0},
                                 {"regressed", 0}}}}}});
  EXPECT_EQ(headline(shown), "With the recommended limits the workload is 1.50x as fast.");
  EXPECT_THAT(lines(shown), HasSubstr("3 problems: 2 faster"));
}

TEST_F(RunDocument, UnfinishedSplitDrawsSweepFromTrials) {
  begin("split");
  const auto add = [&](const std::string& problem, const std::string& choice, double ns,
                       Outcome outcome = Outcome::ok) {
    store::Trial trial;
    trial.key = problem + choice;
    trial.problem = problem;
    trial.config.name = choice;
    trial.outcome = outcome;
    trial.details.screenTimesNs = {9 * ns, 7 * ns, 8 * ns};
    std::vector<model::Sample> samples;
    if (outcome == Outcome::ok) {
      samples.push_back({.stage = Stage::race, .wallNs = ns, .cpuNs = ns});
    }
    ASSERT_TRUE(addTrial(trial, samples));
  };
  add("first", "baseline, limit 4", 300);
  add("first", "no split", 600);
  add("first", "limit 16, limit 64", 100);
  add("first", "limit 256", 100, Outcome::tooSlow);
  add("second", "baseline, no split, limit 4", 50);
  add("second", "limit 16", 1, Outcome::compileFailed);
  add("second", "validate: baseline", 1);
  const json shown = document();
  EXPECT_THAT(lines(shown), HasSubstr("in 2 problems: first is 3.00x as fast with limit 16"));
  const json runtimes = part(shown, "Runtime over limit");
  ASSERT_EQ(runtimes["series"].size(), 2U);
  EXPECT_EQ(runtimes["series"][0]["name"], "first");
  EXPECT_EQ(runtimes["series"][0]["x"], json({4, 16, 64, 256}));
  EXPECT_EQ(runtimes["series"][0]["y"], json({300, 100, 100, 700}))
      << "the last one was only screened";
  EXPECT_EQ(runtimes["series"][1]["x"], json({4})) << "failed trials have no time";
  const json map = part(shown, "Slowdown by problem and limit");
  EXPECT_EQ(map["rows"], json({"first", "second"}));
  EXPECT_EQ(map["cells"][0], json({3, 6, 3, 1, 1, 7}));
}

TEST_F(RunDocument, SeveralRunsStartWithSpeedups) {
  const std::int64_t first = begin("profile");
  finish({{"rows", json::array({toJson(row("IREE Codegen", "tile_config_default", 200))})}});
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

TEST_F(RunDocument, FailedRunAmongSeveralSetsBadTone) {
  const std::int64_t first = begin("tune");
  finish(tuned(json::object()));
  const std::int64_t second = begin("kernel");
  finish({{"error", "no compiler"}}, store::RunStatus::failed);
  const json shown = together({first, second});
  EXPECT_EQ(shown["answer"]["tone"], "bad");
  EXPECT_THAT(lines(shown), HasSubstr("Run 2, kernel: This run failed."));
  EXPECT_EQ(together({first})["answer"]["tone"], "good");
}

TEST_F(RunDocument, RunsWithoutBaselineHaveNoGains) {
  const std::int64_t run = begin("profile");
  finish({{"rows", json::array({toJson(row("IREE Codegen", "tile_config_default", 200))})}});
  const json shown = together({run, run});
  EXPECT_THAT(headline(shown), HasSubstr("only measured"));
  EXPECT_EQ(shown["answer"]["tone"], "plain") << "a verified result is not a speedup";
}

TEST_F(RunDocument, UnknownResultFormatShowsTrials) {
  begin("tune");
  addTrial("default", json::object(), {100});
  json odd = tuned({{"flags", {1, 2}}});
  const json shown = finish(odd);
  EXPECT_THAT(headline(shown), HasSubstr("Unknown result format"));
  EXPECT_EQ(part(shown, "All trials")["rows"], 1);
}

TEST_F(RunDocument, AcceptsAnyVerbAndSummary) {
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
