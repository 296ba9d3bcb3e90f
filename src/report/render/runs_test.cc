#include "report/render/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/text.h"
#include "report/pages/run_list.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using store::RunStatus;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

store::RunLine makeLine(std::int64_t id, std::string title) {
  store::RunLine line;
  line.id = id;
  line.command = "tune";
  line.startedAt = "2026-11-15T20:15:14Z";
  line.status = RunStatus::finished;
  line.device = "local-sync";
  line.title = std::move(title);
  line.trials = 10'000;
  return line;
}

TEST(RunList, FitsTheWidth) {
  const std::vector<store::RunLine> runs = {
      makeLine(1234, "tune model.mlir --function=main --budget=100 --target=local"),
      makeLine(2, "tune")};
  EXPECT_EQ(runListText(runs, {}, 80),
            "  id  verb  started (UTC)     status    result  command\n"
            "1234  tune  2026-11-15 20:15  finished          model.mlir --function=main --...\n"
            "   2  tune  2026-11-15 20:15  finished\n");
  EXPECT_THAT(splitAt(runListText(runs, {}, 80), '\n'), Each(SizeIs(testing::Le(80))));
}

TEST(RunList, ShowsCluster) {
  std::vector<store::RunLine> runs = {makeLine(3, "tune m.mlir")};
  runs[0].status = RunStatus::running;
  runs[0].cluster = "2 nodes, 2 running, 7 queued";
  EXPECT_THAT(runListText(runs, {}, 120), HasSubstr("running: 2 nodes, 2 running, 7 queued"));
  EXPECT_THAT(splitAt(runListText(runs, {}, 80), '\n'), Each(SizeIs(testing::Le(80))));
  EXPECT_EQ(runListJson(runs, {})["runs"][0]["cluster"], "2 nodes, 2 running, 7 queued");
}

TEST(RunList, KeepsWholeCommandInJson) {
  const std::vector<store::RunLine> runs = {makeLine(3, "tune 'a b'")};
  const auto document = runListJson(runs, {});
  EXPECT_EQ(document["runs"][0]["command"], "tune 'a b'");
  EXPECT_EQ(document["runs"][0]["trials"], 10'000);
  EXPECT_EQ(document["runs"][0]["device"], "local-sync");
  EXPECT_EQ(runListJson({}, {})["runs"], nlohmann::json::array());
}

TEST(RunList, PageCountsRunsAndRunningOnes) {
  constexpr std::size_t kMaxRuns = 2;
  std::vector<store::RunLine> runs = {makeLine(3, "tune a")};
  runs[0].status = RunStatus::failed;
  const auto makeAnswer = [&] { return runListDocument(runs, {}, kMaxRuns).json()["answer"]; };
  EXPECT_EQ(makeAnswer()["headline"], "1 run");
  EXPECT_EQ(makeAnswer()["lines"], nlohmann::json::array({"No run is in progress."}));
  runs.push_back(makeLine(2, "tune b"));
  runs[1].status = RunStatus::running;
  EXPECT_EQ(makeAnswer()["headline"], "2 runs");
  EXPECT_THAT(makeAnswer()["lines"][0].get<std::string>(), HasSubstr("1 not finished"));
  runs.push_back(makeLine(1, "tune c"));
  EXPECT_EQ(makeAnswer()["headline"], "Latest 2 runs");
  EXPECT_EQ(runListDocument(runs, {}, kMaxRuns).json()["parts"][0]["rows"], kMaxRuns);
  runs.clear();
  EXPECT_EQ(makeAnswer()["headline"], "No runs yet.");
}

TEST(RunList, ShowsSameResultOnPageTerminalAndInJson) {
  const ScratchFolder folder = ScratchFolder::create("hone-run-list").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  store::Run run;
  run.command = "bench";
  run.arguments = {"bench", "m.mlir"};
  ASSERT_TRUE(store.finishRun(store.addRun(run).value(), RunStatus::finished,
                              {{"candidates", {{{"name", "m"}, {"time_ns", 2000}}}}}));
  ASSERT_TRUE(store.addRun(run));
  const auto runs = store.listRuns(0).value();
  RunResults results;
  ASSERT_TRUE(results.load(store, runs));
  const auto document = runListDocument(runs, results, 10).json();
  const auto& column = document["parts"][0]["columns"][2];
  EXPECT_EQ(column["name"], "result");
  EXPECT_EQ(column["texts"], nlohmann::json({"not finished: 0 trials so far", "2.00 µs"}));
  EXPECT_THAT(runListText(runs, results, 120),
              AllOf(HasSubstr("  not finished: 0 trials so far  m.mlir\n"),
                    HasSubstr("  2.00 µs                        m.mlir\n")));
  EXPECT_THAT(splitAt(runListText(runs, results, 80), '\n'), Each(SizeIs(testing::Le(81))))
      << "80 characters, one of them of two bytes";
  EXPECT_EQ(runListJson(runs, results)["runs"][1]["result"], "2.00 µs");
}

class RunViewTest : public testing::Test {
 protected:
  RunViewTest() {
    run_.id = 7;
    run_.command = "tune";
    run_.arguments = {"tune", "m.mlir"};
    run_.device = "local-sync";
    for (std::int64_t id = 1; id <= 2; ++id) {
      store::TrialLine trial;
      trial.id = id;
      trials_.push_back(trial);
    }
    trials_[1].outcome = Outcome::compileFailed;
    trials_[1].message = "a message that is\ntwo lines long and does not fit the terminal";
    trials_[1].config = "tiles";
    samples_ = {{1, {.stage = Stage::screen, .wallNs = 9e9, .cpuNs = 9e9}},
                {1, {.stage = Stage::race, .round = 0, .wallNs = 5e6, .cpuNs = 1e6}},
                {1, {.stage = Stage::race, .round = 1, .wallNs = 5e6, .cpuNs = 3e6}}};
  }

  store::Run run_;
  std::vector<store::TrialLine> trials_;
  std::vector<store::TrialSample> samples_;
};

TEST_F(RunViewTest, UsesMedianOfLastStageInDeviceClock) {
  const auto lines = RunView(run_, trials_, samples_).lines();
  EXPECT_EQ(lines[0].samples, 2u);
  EXPECT_EQ(lines[0].medianNs, 2e6);
  EXPECT_EQ(lines[1].samples, 0u);
  run_.device = "local-task";
  EXPECT_EQ(RunView(run_, trials_, samples_).lines()[0].medianNs, 5e6);
}

TEST_F(RunViewTest, ShowsCommandAndStatus) {
  const std::string text = RunView(run_, trials_, samples_).text(80);
  EXPECT_THAT(text, HasSubstr("run 7: hone tune m.mlir\n"));
  EXPECT_THAT(text, HasSubstr("outcomes  1 ok, 1 compile_failed\n"));
  EXPECT_THAT(text, HasSubstr("hone runs resume 7"));
  EXPECT_THAT(text, HasSubstr("    1  ok                 2.00 ms        2"));
  EXPECT_THAT(splitAt(text, '\n'), Each(SizeIs(testing::Le(80))));
  run_.status = RunStatus::finished;
  EXPECT_THAT(RunView(run_, trials_, samples_).text(80), Not(HasSubstr("resume")));
}

TEST_F(RunViewTest, WritesJson) {
  const auto document = RunView(run_, trials_, samples_).json();
  EXPECT_EQ(document["outcomes"]["compile_failed"], 1);
  EXPECT_EQ(document["trials"][0]["median_ns"], 2e6);
  EXPECT_EQ(document["trials"][1]["median_ns"], nullptr);
  EXPECT_EQ(document["clock"], "cpu");
}

}  // namespace
}  // namespace hone::report
