#include "report/pages/test_run_document.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using nlohmann::json;
using testing::HasSubstr;

using SplitDocument = RunDocumentTest;

TEST_F(SplitDocument, AttributesSlowerOracleToNoise) {
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

TEST_F(SplitDocument, OlderSplitShowsTotals) {
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

TEST_F(SplitDocument, UnfinishedSplitDrawsSweepFromTrials) {
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

}  // namespace
}  // namespace hone::report
