#include "report/data/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "base/text/text.h"
#include "report/render/compare_output.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A trial to store, with the same time in every round of its final.
struct StoredTrial {
  StoredTrial(std::string problemName, std::string configName, double timeNs = 0,
              std::vector<std::string> configFlags = {})
      : problem(std::move(problemName)),
        config(std::move(configName)),
        ns(timeNs),
        flags(std::move(configFlags)) {}

  StoredTrial&& in(json given) && {
    details = std::move(given);
    return std::move(*this);
  }
  StoredTrial&& only(Stage given, int count) && {
    stage = given;
    rounds = count;
    return std::move(*this);
  }
  StoredTrial&& of(std::string binary) && {
    artifact = std::move(binary);
    return std::move(*this);
  }
  StoredTrial&& disturbed(double share) && {
    disturbance = share;
    return std::move(*this);
  }
  /// Marks the trial as eliminated in screening.
  StoredTrial&& tooSlow() && {
    outcome = Outcome::tooSlow;
    return std::move(*this).only(Stage::screen, 3);
  }
  StoredTrial&& wrong() && {
    outcome = Outcome::mismatch;
    return std::move(*this);
  }

  std::string problem;
  std::string config;
  double ns;
  std::vector<std::string> flags;
  Outcome outcome = Outcome::ok;
  std::string artifact;
  json details = json::object();
  Stage stage = Stage::final;
  int rounds = 10;
  double disturbance = 0;  ///< random relative deviation, at most
};

class CompareTest : public testing::Test {
 protected:
  std::int64_t add(const std::string& command, const std::vector<StoredTrial>& trials,
                   const std::string& host = "here") {
    store::Run run;
    run.command = command;
    run.host = host;
    run.device = "local-sync";
    run.compilerRevision = "abc";
    const std::int64_t id = store_.addRun(run).value();
    for (const StoredTrial& stored : trials) {
      store::Trial trial;
      trial.key = std::to_string(++keys_);
      trial.problem = stored.problem;
      trial.config.name = stored.config;
      trial.config.flags = stored.flags;
      trial.outcome = stored.outcome;
      trial.message = stored.outcome == Outcome::ok ? "" : "why";
      trial.artifact = stored.artifact;
      trial.details = model::trialDetailsFrom(stored.details);
      std::vector<model::Sample> samples;
      for (int round = 0; round < (stored.ns > 0 ? stored.rounds : 0); ++round) {
        const double noise = stored.disturbance > 0
                                 ? 1 + stored.disturbance * (2 * random_.uniform() - 1)
                                 : 1 + 0.001 * (round % 3 - 1);
        samples.push_back({.stage = stored.stage,
                           .round = round,
                           .wallNs = 7 * stored.ns,
                           .cpuNs = stored.ns * noise});
      }
      EXPECT_TRUE(store_.addTrial(id, trial, samples));
    }
    return id;
  }
  [[nodiscard]] RunComparison compare(std::int64_t before, std::int64_t after,
                                      double margin = 0.05) const {
    return compareRuns({store_, before}, {store_, after}, {.margin = margin}).value();
  }
  static std::vector<std::string> shown(const RunComparison& comparison) {
    std::vector<std::string> lines;
    for (const ComparedItem& item : comparison.things) {
      lines.push_back(fmt::format("{} {}", item.label, describeChange(item.change)));
    }
    return lines;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-compare-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "hone.db", store::Store::Mode::write).value();
  int keys_ = 0;
  Random random_{1};
};

TEST_F(CompareTest, MatchesCandidatesBySettingsWorstFirst) {
  const std::vector<StoredTrial> before = {
      StoredTrial("m", "baseline", 1e6), StoredTrial("m", "quick", 1e6, {"--a"}),
      StoredTrial("m", "old name", 1e6, {"--b"}), StoredTrial("m", "breaks", 1e6, {"--c"}),
      StoredTrial("m", "gone", 1e6, {"--d"})};
  const std::vector<StoredTrial> after = {
      StoredTrial("m", "baseline", 1.01e6), StoredTrial("m", "quick", 0.5e6, {"--a"}),
      StoredTrial("m", "new name", 1.5e6, {"--b"}), StoredTrial("m", "breaks", 0, {"--c"}).wrong(),
      StoredTrial("m", "new", 1e6, {"--e"})};
  const RunComparison result = compare(add("bench", before), add("bench", after));
  EXPECT_THAT(shown(result), ElementsAre("m: breaks broken", "m: old name slower",
                                         "m: baseline same", "m: quick faster"));
  EXPECT_NEAR(result.things[1].comparison.speedup.estimate, 1 / 1.5, 1e-3);
  EXPECT_NEAR(result.things[3].beforeNs, 1e6, 1) << "CPU time, by which the device ranks";
  EXPECT_THAT(result.onlyBefore, ElementsAre("m: gone"));
  EXPECT_THAT(result.onlyAfter, ElementsAre("m: new"));
  EXPECT_TRUE(result.gotWorse());
  EXPECT_THAT(result.differences, IsEmpty());
}

TEST_F(CompareTest, AvoidsFalseAlarmsAmongManyItems) {
  std::vector<StoredTrial> noisy;
  for (int i = 0; i < 200; ++i) {
    noisy.push_back(StoredTrial(fmt::format("m{}", i), "baseline", 1e6).disturbed(0.3));
  }
  const RunComparison result = compare(add("bench", noisy), add("bench", noisy), 0);
  EXPECT_EQ(result.things.size(), noisy.size());
  EXPECT_EQ(result.count(Change::slower), 0U);
  EXPECT_EQ(result.count(Change::faster), 0U);
}

TEST_F(CompareTest, ReportsOnlyWorseItemsAsBad) {
  const auto slow = add("bench", {StoredTrial("m", "baseline", 1e6)});
  const auto quick = add("bench", {StoredTrial("m", "baseline", 0.9e6)});
  EXPECT_FALSE(compare(slow, quick).gotWorse());
  EXPECT_THAT(shown(compare(slow, quick)), ElementsAre("m: baseline faster"));
  EXPECT_THAT(shown(compare(slow, quick, 0.2)), ElementsAre("m: baseline same"));
  EXPECT_THAT(shown(compare(quick, slow)), ElementsAre("m: baseline slower"));
  EXPECT_THAT(compareRuns({store_, 99}, {store_, quick}, {}).error().message,
              HasSubstr("no run 99"));
  const auto other = add("tune", {});
  EXPECT_THAT(compareRuns({store_, other}, {store_, quick}, {}).error().message,
              HasSubstr("different commands"));
}

TEST_F(CompareTest, IsAmbiguousWithFewSamples) {
  const auto before = add("bench", {StoredTrial("m", "c", 1e6).only(Stage::screen, 3)});
  const auto after = add("bench", {StoredTrial("m", "c", 3e6)});
  EXPECT_THAT(shown(compare(before, after)), ElementsAre("m: c ambiguous"));
}

TEST_F(CompareTest, ComparesEliminatedCandidates) {
  const auto before =
      add("bench", {StoredTrial("m", "a", 9e6).tooSlow(), StoredTrial("n", "a", 9e6).tooSlow(),
                    StoredTrial("o", "a", 1e6)});
  const auto after = add("bench", {StoredTrial("m", "a", 1e6), StoredTrial("n", "a", 0).wrong(),
                                   StoredTrial("o", "a", 9e6).tooSlow()});
  EXPECT_THAT(shown(compare(before, after)),
              ElementsAre("n: a broken", "o: a ambiguous", "m: a ambiguous"));
}

TEST_F(CompareTest, EqualBinariesSetNoiseFloor) {
  const auto before =
      add("bench", {StoredTrial("m", "a", 1e6).of("x"), StoredTrial("n", "a", 1e6).of("y")});
  const auto after =
      add("bench", {StoredTrial("m", "a", 1.3e6).of("x"), StoredTrial("n", "a", 1.2e6).of("z")});
  const RunComparison result = compare(before, after);
  EXPECT_THAT(shown(result), ElementsAre("n: a ambiguous", "m: a same"));
  EXPECT_NEAR(result.floor, 0.3, 0.01);
  EXPECT_EQ(result.equalBinaries, 1U);
  EXPECT_FALSE(result.gotWorse());
  EXPECT_THAT(compareText(result, 80, 0), HasSubstr("1 identical binary differs by up to 30.0 %"));
}

TEST_F(CompareTest, WarnsAboutDifferentMachine) {
  const auto before = add("bench", {StoredTrial("m", "a", 1e6).of("x")});
  const auto after = add("bench", {StoredTrial("m", "a", 1.3e6).of("x")}, "there");
  const RunComparison result = compare(before, after);
  EXPECT_THAT(shown(result), ElementsAre("m: a slower"));
  EXPECT_THAT(result.differences, ElementsAre("machine: here -> there"));
  EXPECT_THAT(compareText(result, 80, 0), HasSubstr("different machine"));
}

TEST_F(CompareTest, ReportsStatusDifference) {
  const auto before = add("bench", {StoredTrial("m", "a", 1e6), StoredTrial("n", "a", 1e6)});
  const auto after = add("bench", {StoredTrial("m", "a", 1e6)});
  ASSERT_TRUE(store_.finishRun(before, store::RunStatus::finished, json::object()));
  ASSERT_TRUE(store_.finishRun(after, store::RunStatus::failed, json::object()));
  const RunComparison result = compare(before, after);
  EXPECT_THAT(result.differences, ElementsAre("status: finished -> failed"));
  EXPECT_THAT(compareText(result, 80, 0), HasSubstr("status: finished -> failed"));
}

TEST_F(CompareTest, ReportsItemsMissingFromUnfinishedRun) {
  const auto before = add("bench", {StoredTrial("m", "a", 1e6), StoredTrial("n", "a", 1e6),
                                    StoredTrial("o", "a").wrong()});
  const auto after = add("bench", {StoredTrial("m", "a", 1e6)});
  EXPECT_EQ(compare(before, after).missing, 1U) << "o failed before as well";
  EXPECT_TRUE(compare(before, after).gotWorse()) << "it is still running";
  ASSERT_TRUE(store_.finishRun(after, store::RunStatus::failed, json::object()));
  const RunComparison broken = compare(before, after);
  EXPECT_TRUE(broken.gotWorse());
  EXPECT_THAT(compareText(broken, 80, 0),
              HasSubstr("run 2 is failed, not finished: 1 item timed in run 1 is missing"));
  EXPECT_EQ(compareJson(broken)["missing"], 1);
  const json page = compareDocument(broken).json()["answer"];
  EXPECT_EQ(page["headline"], "Run 2 did not finish: 1 missing.");
  EXPECT_EQ(page["tone"], "bad");
  // NOLINTNEXTLINE(readability-suspicious-call-argument)
  EXPECT_FALSE(compare(after, before).gotWorse()) << "only the second run is judged";
  ASSERT_TRUE(store_.finishRun(after, store::RunStatus::finished, json::object()));
  EXPECT_FALSE(compare(before, after).gotWorse()) << "a finished run may measure less";
}

TEST_F(CompareTest, MatchesProfilesByOperationConfigurationAndProvider) {
  const auto row = [](const char* provider) {
    model::ProfileRow one;
    one.provider = provider;
    return json{{"row", toJson(one)}};
  };
  const auto trials = [&](double iree, double library) {
    return std::vector<StoredTrial>{
        StoredTrial("matmul_1", "tile_config_default", iree).in(row("IREE Codegen")),
        StoredTrial("matmul_1", "tile_config_default", library).in(row("oneDNN"))};
  };
  const RunComparison result =
      compare(add("profile", trials(1e6, 2e6)), add("profile", trials(2e6, 1e6)));
  EXPECT_THAT(shown(result), ElementsAre("matmul_1: default slower", "matmul_1: oneDNN faster"));
}

TEST_F(CompareTest, ComparesDefaultAndChoiceOfTune) {
  const auto in = [](const char* scope) { return json{{"scope", scope}}; };
  const auto trials = [&](double best, const std::string& name) {
    return std::vector<StoredTrial>{
        StoredTrial("p", "default", 9e6).in(in("flags")),
        StoredTrial("p", "default", 2e6).in(in("dispatch_0")),
        StoredTrial("p", name, best, {name}).in(in("dispatch_0")),
        StoredTrial("p", "screened", 1, {"x"}).in(in("dispatch_0")).only(Stage::screen, 10),
        StoredTrial("p", "default", 4e6).in(in("proof")),
        StoredTrial("p", "spec", 3.99e6, {"s"}).in(in("proof")),
        StoredTrial("p", "only an entry", 1, {"e"}).in(in("tuned, each alone")),
        StoredTrial("p", "default (again)", 1).in(json{{"twin", true}})};
  };
  const RunComparison result =
      compare(add("tune", trials(1e6, "8x8")), add("tune", trials(1.4e6, "4x4")));
  EXPECT_THAT(shown(result), ElementsAre("dispatch_0: choice slower", "p as a whole: default same",
                                         "p as a whole: choice same", "dispatch_0: default same"));
  EXPECT_EQ(result.things[0].choiceBefore, "8x8");
  EXPECT_EQ(result.things[0].choiceAfter, "4x4");
  EXPECT_EQ(result.things[2].choiceAfter, "default") << "too small a gain to keep";
  EXPECT_THAT(compareText(result, 120, 0), HasSubstr("8x8 -> 4x4"));
}

TEST_F(CompareTest, ComparesChosenLimitOfSplit) {
  const auto trials = [](double limit) {
    return std::vector<StoredTrial>{
        StoredTrial("conv", "baseline, limit 4", 3e6).only(Stage::race, 10),
        StoredTrial("conv", "limit 64", 1e6, {"64"}).only(Stage::race, 10),
        StoredTrial("conv", "validate: baseline", 2e6),
        StoredTrial("conv", "validate: baseline (again)", 2e6),
        StoredTrial("conv", "validate: [64]", limit)};
  };
  const RunComparison result = compare(add("split", trials(1e6)), add("split", trials(1.5e6)));
  EXPECT_THAT(shown(result), ElementsAre("conv: choice slower", "conv: default same"));
  EXPECT_EQ(result.things[0].choiceBefore, "[64]");
  EXPECT_NEAR(result.things[1].beforeNs, 2e6, 1) << "by the rounds of its validation";
}

TEST_F(CompareTest, ComparesOriginalChoiceAndPyTorchOfKernel) {
  const auto turn = [](int number) { return json{{"turn", number}, {"kernel", json::object()}}; };
  const auto trials = [&](double best) {
    return std::vector<StoredTrial>{StoredTrial("softmax", "the original", 4e6).in(turn(0)),
                                    StoredTrial("softmax", "vectors", best, {"v"}).in(turn(1)),
                                    StoredTrial("softmax", "the original, again", 4e6),
                                    StoredTrial("softmax", "PyTorch", 1e6)};
  };
  const RunComparison result = compare(add("kernel", trials(2e6)), add("kernel", trials(3e6)));
  EXPECT_THAT(shown(result), ElementsAre("softmax: choice slower", "softmax: default same",
                                         "softmax: PyTorch same"));
}

TEST_F(CompareTest, FitsTerminalAndCountsHiddenLines) {
  std::vector<StoredTrial> before;
  std::vector<StoredTrial> after;
  for (int i = 0; i < 30; ++i) {
    const std::string problem =
        fmt::format("matmul_with_a_name_that_is_far_too_long_for_a_terminal_{}", i);
    before.emplace_back(problem, "baseline", 1e6);
    after.emplace_back(problem, "baseline", 1e6 * (i + 1));
  }
  before.emplace_back("only <here>", "baseline", 1e6);
  const auto first = add("bench", before);
  const RunComparison result = compare(first, add("bench", after));
  const std::string text = compareText(result, 80, 20);
  for (const std::string& line : splitAt(text, '\n')) {
    if (!line.starts_with("...")) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
  EXPECT_THAT(text, HasSubstr("and 10 more"));
  EXPECT_THAT(text, HasSubstr("29 slower, 1 same"));
  EXPECT_THAT(text, HasSubstr("hold jointly with 95 %"));
  EXPECT_NEAR(compareJson(result)["confidence"], 1 - 0.05 / 30, 1e-12);
  EXPECT_THAT(text, HasSubstr("only in run 1: only <here>: baseline"));
  EXPECT_LT(text.find("0.033x"), text.find("0.034x")) << "worst first";
  EXPECT_THAT(text, HasSubstr("29: baseline")) << "labels keep their ends";
}

TEST_F(CompareTest, WritesJsonAndPage) {
  const auto before =
      add("bench", {StoredTrial("m", "<script>", 1e6), StoredTrial("m", "b", 1e6, {"b"})});
  const auto after = add("bench", {StoredTrial("m", "<script>", 2e6)});
  const RunComparison result = compare(before, after);
  const json document = compareJson(result);
  EXPECT_EQ(document["counts"]["slower"], 1);
  EXPECT_EQ(document["counts"]["unsure"], 0) << "the name in JSON";
  EXPECT_EQ(document["things"][0]["what"], "m: <script>");
  EXPECT_NEAR(document["things"][0]["speedup"]["estimate"], 0.5, 0.01);
  EXPECT_EQ(document["confidence"], 0.95) << "of each interval: there is only one";
  EXPECT_EQ(document["only_before"], json({"m: b"}));
  EXPECT_FALSE(document["before"].contains("summary"));
  const json page = compareDocument(result).json();
  EXPECT_EQ(page["answer"]["headline"], "1 of 1 slower or broken.");
  EXPECT_EQ(page["answer"]["tone"], "bad");
}

TEST_F(CompareTest, HandlesRunsWithoutTrials) {
  const RunComparison result = compare(add("tune", {}), add("tune", {}));
  EXPECT_THAT(result.things, IsEmpty());
  EXPECT_FALSE(result.gotWorse());
  EXPECT_THAT(compareText(result, 80, 20), HasSubstr("no measured item in common"));
  EXPECT_EQ(compareDocument(result).json()["answer"]["headline"],
            "The runs have no measured item in common.");
}

}  // namespace
}  // namespace hone::report
