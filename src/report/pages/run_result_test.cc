#include "report/pages/run_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/result/summary/profile_row.h"

namespace hone::report {
namespace {

using nlohmann::json;
using store::RunStatus;

std::string resultOf(const std::string& command, const json& summary) {
  return resultText(
      {.command = command, .status = RunStatus::finished, .trials = 3, .summary = summary.dump()});
}

json rangeAround(double estimate) {
  return {{"low", estimate - 0.1}, {"estimate", estimate}, {"high", estimate + 0.1}};
}

json tunedTo(const std::string& program, double speedup) {
  return {{"program", program},
          {"default_ns", 300},
          {"tuned_ns", 300 / speedup},
          {"speedup", rangeAround(speedup)},
          {"verdict", "improved"}};
}

TEST(RunResult, TuneStatesVerdictAndInterval) {
  EXPECT_EQ(resultOf("tune", {{"programs", {tunedTo("m", 3)}}}),
            "faster: 3.00x (95 % CI 2.90–3.10)");
  EXPECT_EQ(
      resultOf("tune", {{"programs", {tunedTo("m", 3), {{"program", "n"}}, tunedTo("o", 4)}}}),
      "2 of 3 programs faster; largest: 4.00x (95 % CI 3.90–4.10), o");
}

TEST(RunResult, TuneStatesReasonForNoSpeedup) {
  const auto untuned = [](const json& more) {
    json program = {{"program", "m"}};
    program.update(more);
    return resultOf("tune", {{"programs", json::array({program})}});
  };
  EXPECT_EQ(untuned(json::object()), "no speedup") << "older versions stored no reason";
  EXPECT_EQ(untuned({{"no_gain", {"tuned: 1.01x as fast, the interval includes 1"}}}),
            "no speedup: tuned: 1.01x as fast, the interval includes 1");
  const json dispatch = {{"name", "m_dispatch_0"}, {"tried", 2}, {"failed", 2}};
  const json variant = {{"name", ""}, {"dispatches", json::array({dispatch})}};
  EXPECT_EQ(untuned({{"variants", json::array({variant})}}), "no speedup: all 2 candidates failed");
}

TEST(RunResult, BenchNamesBestCandidate) {
  const json baseline = {{"name", "base"}, {"time_ns", 2000}};
  const auto candidate = [](const char* name, double speedup, const char* verdict) {
    return json{{"name", name}, {"speedup", rangeAround(speedup)}, {"verdict", verdict}};
  };
  const auto bench = [](const json& candidates) {
    return resultOf("bench", {{"candidates", candidates}});
  };
  EXPECT_EQ(bench({baseline, candidate("a", 2, "improved"), candidate("b", 4, "improved")}),
            "faster: 4.00x (95 % CI 3.90–4.10), b");
  EXPECT_EQ(bench({baseline, candidate("a", 0.5, "regressed")}),
            "slower: 0.50x (95 % CI 0.40–0.60), a");
  EXPECT_EQ(bench({baseline, candidate("a", 1, "neutral"), candidate("b", 1, "ambiguous")}),
            "no speedup over base");
  EXPECT_EQ(bench(json::array({baseline})), "2.00 µs");
  EXPECT_EQ(bench(json::array()), "3 trials recorded");
}

TEST(RunResult, SplitSumsProblems) {
  const json choice = {{"time_us", 1}, {"verdict", "improved"}, {"speedup", {1.6, 2, 2.5}}};
  const json problem = {{"baseline_us", 100}, {"taken", "1-D"}, {"choices", {{"1-D", choice}}}};
  EXPECT_EQ(resultOf("split", {{"validated", {problem, problem}}}),
            "faster: 2.00x (95 % CI 1.60–2.50), total of 2 problems");
  const json tally = {{"shapes", 3},   {"total_speedup", 1.5}, {"geomean_speedup", 1.4},
                      {"improved", 2}, {"neutral", 1},         {"ambiguous", 0},
                      {"regressed", 0}};
  EXPECT_EQ(resultOf("split", {{"validation", {{"1-D", tally}}}}), "1.50x, total of 3 problems");
}

TEST(RunResult, ProfileCountsOperationsAndFailures) {
  const auto row = [](const char* operation, double gflops) {
    model::ProfileRow one;
    one.operation = operation;
    one.provider = model::kIreeProvider;
    one.flops = 1000;
    one.timeNs = gflops > 0 ? 1000 / gflops : 0;
    one.attainableGflops = 20;
    one.verification = gflops > 0 ? "SUCCESS" : "FAILED";
    return toJson(one);
  };
  EXPECT_EQ(resultOf("profile", {{"rows", {row("a", 5), row("a", 10), row("b", 8)}}}),
            "2 operations, 45 % of the roofline");
  EXPECT_EQ(resultOf("profile", {{"rows", {row("a", 0)}}}), "1 operation, 1 failure");
}

TEST(RunResult, KernelStatesSpeedupOrReason) {
  const json better = {
      {"kernel", "softmax"},
      {"improved", true},
      {"confirmed",
       {{"original", {{"low", 3.9}, {"speedup", 4}, {"high", 4.1}, {"verdict", "improved"}}},
        {"original_ns", 80},
        {"best_ns", 20}}}};
  const json same = {{"kernel", "b"}, {"improved", false}, {"why", "the plateau is reached"}};
  EXPECT_EQ(resultOf("kernel", better), "faster: 4.00x (95 % CI 3.90–4.10)");
  EXPECT_EQ(resultOf("kernel", same), "no speedup: the plateau is reached");
  EXPECT_EQ(resultOf("kernel", {{"kernels", {{"a", better}, {"b", same}}}}),
            "1 of 2 kernels faster; largest: 4.00x (95 % CI 3.90–4.10), a");
  EXPECT_EQ(resultOf("kernel", {{"listed", json::array()}}), "0 kernels measured");
}

TEST(RunResult, ShowsStatusOfUnfinishedRun) {
  RunState run{.command = "tune", .status = RunStatus::running, .trials = 1, .summary = "{}"};
  EXPECT_EQ(resultText(run), "not finished: 1 trial so far");
  run.status = RunStatus::failed;
  EXPECT_EQ(resultText(run), "failed");
  run.summary = R"({"error": "m.mlir does not compile"})";
  EXPECT_EQ(resultText(run), "failed: m.mlir does not compile");
}

TEST(RunResult, AcceptsUnknownFormats) {
  for (const char* command : {"bench", "profile", "split", "tune", "kernel", "other"}) {
    for (const json& summary : {json(nullptr), json(5), json::array({1}), json::object(),
                                json{{"rows", 5},
                                     {"programs", {7}},
                                     {"validated", 3},
                                     {"kernels", 1},
                                     {"candidates", {1, 2}}}}) {
      EXPECT_LT(resultOf(command, summary).size(), 40U) << command << summary;
    }
  }
}

TEST(RunResults, ReadsFinishedRunsOnce) {
  const ScratchFolder folder = ScratchFolder::create("hone-results").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  store::Run run;
  run.command = "bench";
  const std::int64_t id = store.addRun(run).value();
  const auto finish = [&](RunStatus status, double ns) {
    ASSERT_TRUE(store.finishRun(id, status, {{"candidates", {{{"name", "m"}, {"time_ns", ns}}}}}));
  };
  RunResults results;
  const auto loaded = [&] {
    EXPECT_TRUE(results.load(store, store.listRuns(0).value()));
    return results.of(id);
  };
  EXPECT_EQ(loaded(), "not finished: 0 trials so far");
  finish(RunStatus::failed, 1);
  EXPECT_EQ(loaded(), "failed") << "a failed run may be resumed";
  finish(RunStatus::finished, 2);
  EXPECT_EQ(loaded(), "2.00 ns");
  finish(RunStatus::finished, 3);
  EXPECT_EQ(loaded(), "2.00 ns") << "not read again";
  results.clear();
  EXPECT_EQ(results.of(id), "");
  EXPECT_EQ(loaded(), "3.00 ns");
}

}  // namespace
}  // namespace hone::report
