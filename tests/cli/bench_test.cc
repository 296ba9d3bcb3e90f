// End-to-end tests of `hone bench` with the real compiler and devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Returns a 64x64x64 matmul that does several times the work for the same result.
std::string slowMatmulText() {
  const std::string type = "tensor<64x64xf32>";
  std::string text = fmt::format(
      "func.func @matmul(%lhs: {0}, %rhs: {0}) -> {0} {{\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %empty = tensor.empty() : {0}\n"
      "  %init = linalg.fill ins(%zero : f32) outs(%empty : {0}) -> {0}\n"
      "  %p0 = linalg.matmul ins(%lhs, %rhs : {0}, {0}) outs(%init : {0}) -> {0}\n",
      type);
  constexpr int kMore = 6;
  for (int i = 1; i <= kMore; ++i) {
    text += fmt::format(
        "  %p{0} = linalg.matmul ins(%p{1}, %rhs : {2}, {2}) outs(%init : {2}) -> {2}\n", i, i - 1,
        type);
  }
  return text + fmt::format(
                    "  %zeros = arith.constant dense<0.0> : {0}\n"
                    "  %none = arith.mulf %p{1}, %zeros : {0}\n"
                    "  %sum = arith.addf %p0, %none : {0}\n"
                    "  return %sum : {0}\n}}\n",
                    type, kMore);
}

class Bench : public testing::Test {
 protected:
  void SetUp() override { box_.write("m.mlir", matmulText(64, 64, 64)); }
  void TearDown() override {
    EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
    EXPECT_THAT(box_.leftoverProcesses(), IsEmpty());
  }

  [[nodiscard]] CommandResult bench(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"bench", "m.mlir", "--rounds", "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return box_.hone(arguments);
  }
  [[nodiscard]] CommandResult benchJson(std::vector<std::string> more) {
    more.emplace_back("--json");
    return bench(more);
  }

  Sandbox box_;
};

void expectCandidate(const nlohmann::json& candidate, const std::string& outcome) {
  for (const char* key : {"name", "outcome", "message", "artifact", "verified", "time_ns"}) {
    EXPECT_TRUE(candidate.contains(key)) << key << " in " << candidate;
  }
  EXPECT_EQ(candidate.at("outcome"), outcome) << candidate;
}

void expectVerdict(const nlohmann::json& candidate) {
  const nlohmann::json& speedup = candidate.at("speedup");
  EXPECT_GT(speedup.at("low"), 0.0);
  EXPECT_LE(speedup.at("low"), speedup.at("estimate"));
  EXPECT_LE(speedup.at("estimate"), speedup.at("high"));
  EXPECT_GE(candidate.at("noise_floor"), 0.0);
  EXPECT_GE(candidate.at("rounds"), 5);
}

TEST_F(Bench, MeasuresSingleProgram) {
  const CommandResult text = bench({});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"m.mlir on local-sync, ranked by CPU time", "m@matmul", "95 % CI",
                           "5 rounds", "verified against oneDNN", "hone runs show 1"}) {
    EXPECT_THAT(text.out, HasSubstr(part));
  }
  const CommandResult ran = benchJson({});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  const nlohmann::json document = ran.json();
  EXPECT_EQ(document.at("run"), 2);
  EXPECT_EQ(document.at("target"), "local");
  EXPECT_EQ(document.at("device"), "local-sync");
  EXPECT_EQ(document.at("ranked_by"), "cpu");
  EXPECT_GT(document.at("own_cpu_ns"), 0);
  ASSERT_EQ(document.at("candidates").size(), 1U);
  expectCandidate(document["candidates"][0], "ok");
  EXPECT_EQ(document["candidates"][0].at("verified"), "reference");
  EXPECT_GT(document["candidates"][0].at("time_ns"), 0.0);
}

TEST_F(Bench, ReportsMismatchOfDifferentResults) {
  box_.write("wrong.mlir", matmulText(64, 64, 64, "1.0"));
  const CommandResult ran = benchJson({"--vs", "wrong.mlir"});
  EXPECT_EQ(ran.code, 1);
  const nlohmann::json other = ran.json().at("candidates").at(1);
  expectCandidate(other, "mismatch");
  EXPECT_THAT(other.at("message"), HasSubstr("element ["));
  EXPECT_FALSE(other.contains("verdict"));
  const CommandResult text = bench({"--vs", "wrong.mlir"});
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.out, HasSubstr("mismatch"));
}

TEST_F(Bench, ReportsRegressionOfSlowerProgram) {
  box_.write("slow.mlir", slowMatmulText());
  const CommandResult ran = benchJson({"--vs", "slow.mlir"});
  EXPECT_EQ(ran.code, 1);
  const nlohmann::json other = ran.json().at("candidates").at(1);
  expectCandidate(other, "ok");
  expectVerdict(other);
  EXPECT_EQ(other.at("verdict"), "regressed");
  EXPECT_LT(other.at("speedup").at("high"), 1.0);
}

TEST_F(Bench, DoesNotImproveOnItself) {
  const CommandResult ran = bench({"--vs", "m.mlir"});
  EXPECT_THAT(ran.out, HasSubstr("A and B are the same binary"));
  EXPECT_THAT(ran.out, HasSubstr("noise: A varies by up to"));
  const nlohmann::json shown = box_.hone({"runs", "show", "1", "--json"}).json();
  const nlohmann::json other = shown.at("summary").at("candidates").at(1);
  expectVerdict(other);
  EXPECT_NE(other.at("verdict"), "improved");
  EXPECT_EQ(ran.code, other.at("verdict") == "regressed" ? 1 : 0);
}

TEST_F(Bench, ComparesFlagOfOneSide) {
  const CommandResult ran = benchJson({"--flags-b=--iree-opt-data-tiling"});
  const nlohmann::json document = ran.json();
  ASSERT_EQ(document.at("candidates").size(), 2U);
  const nlohmann::json& other = document["candidates"][1];
  EXPECT_EQ(document["candidates"][0].at("name"), "A");
  EXPECT_EQ(other.at("name"), "B");
  EXPECT_NE(other.at("artifact"), document["candidates"][0].at("artifact"));
  expectCandidate(other, "ok");
  expectVerdict(other);
  EXPECT_EQ(ran.code, other.at("verdict") == "regressed" ? 1 : 0);
}

TEST_F(Bench, ReportsOutcomeOfEveryConfig) {
  nlohmann::json pattern = tiles("bad pattern", 8, 16, 1);
  pattern["attributes"][0]["dispatch"] = "(";
  nlohmann::json nowhere = tiles("nowhere", 8, 16, 1);
  nowhere["attributes"][0]["dispatch"] = "no_such_dispatch";
  const nlohmann::json configs = {tiles("good", 8, 16, 1),
                                  tiles("too large", 64, 64, 64),
                                  {{"name", "bad flag"}, {"flags", {"--iree-opt-no-such-flag"}}},
                                  pattern,
                                  nowhere,
                                  tiles("good, again", 8, 16, 1)};
  box_.write("c.json", configs.dump());
  const CommandResult ran = benchJson({"--configs", "c.json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json all = ran.json().at("candidates");
  ASSERT_EQ(all.size(), 7U);
  expectCandidate(all[0], "ok");
  EXPECT_EQ(all[0].at("name"), "baseline");
  EXPECT_TRUE(all[1].at("outcome") == "ok" || all[1].at("outcome") == "too_slow") << all[1];
  expectCandidate(all[2], "compile_failed");
  expectCandidate(all[3], "invalid");
  expectCandidate(all[4], "invalid");
  EXPECT_THAT(all[4].at("message"), HasSubstr("invalid regular expression"));
  expectCandidate(all[5], "invalid");
  EXPECT_EQ(all[6].at("same_as"), "good");
  for (const std::size_t failed : {2U, 3U, 4U, 5U}) {
    EXPECT_NE(all[failed].at("message"), "") << all[failed];
    EXPECT_FALSE(all[failed].contains("verdict"));
  }
}

TEST_F(Bench, FitsTableToTerminal) {
  const std::string name(100, 'x');
  box_.write("c.json", nlohmann::json::array({tiles(name, 8, 16, 1)}).dump());
  const CommandResult ran = bench({"--configs", "c.json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("xxx..."));
  expectTablesFit(ran);
}

TEST_F(Bench, ReportsCompileTimeoutAsOutcome) {
  // The baseline is now cached, so only the config must be compiled.
  ASSERT_EQ(bench({"--quiet"}).code, 0);
  box_.write("c.json", R"([{"name": "late", "flags": ["--iree-opt-data-tiling"]}])");
  const CommandResult ran = benchJson({"--configs", "c.json", "--compile-timeout", "0.01"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json late = ran.json().at("candidates").at(1);
  expectCandidate(late, "compile_timeout");
  EXPECT_THAT(late.at("message"), HasSubstr("stopped after"));
}

TEST_F(Bench, KeepsTrialBudget) {
  nlohmann::json configs;
  for (int i = 1; i <= 4; ++i) {
    configs.push_back(tiles(fmt::format("t{}", i), i, 16, 1));
  }
  box_.write("c.json", configs.dump());
  const CommandResult ran = benchJson({"--configs", "c.json", "--budget", "1h,2trials"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.json().at("candidates").size(), 3U);
}

TEST_F(Bench, RanksParallelDeviceByWallTime) {
  const CommandResult ran = benchJson({"--device", "local-task"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("device"), "local-task");
  EXPECT_EQ(ran.json().at("ranked_by"), "wall");
}

TEST_F(Bench, AcceptsInputs) {
  const CommandResult ran = benchJson({"--input", "64x64xf32=2", "--input", "64x64xf32"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  expectCandidate(ran.json().at("candidates").at(0), "ok");
}

TEST_F(Bench, MeasuresOnVulkan) {
  box_.write("m.mlir", matmulText(16, 16, 16));
  const CommandResult ran = benchJson({"--target", "vulkan"});
  if (ran.json().value("compile_only", false)) {
    GTEST_SKIP() << "no Vulkan device found";
  }
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("device"), "vulkan");
  EXPECT_EQ(ran.json().at("ranked_by"), "wall");
  expectCandidate(ran.json().at("candidates").at(0), "ok");
  EXPECT_EQ(ran.json()["candidates"][0].at("verified"), "reference");
}

}  // namespace
}  // namespace hone::test
