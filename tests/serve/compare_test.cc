// Tests of `hone compare` on runs of `hone bench`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "store/store.h"
#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Measures a small and a large program of the same name, as if a change had made it slower. One
/// test uses all three runs, so that they are measured only once.
class Compare : public testing::Test {
 protected:
  void SetUp() override {
    box_.write("m.mlir", matmulText(48, 48, 48));
    ASSERT_EQ(box_.hone(bench_).code, 0);
    fs::copy_file(box_.store(), box_.work() / "before.db");
    ASSERT_EQ(box_.hone(bench_).code, 0);
    box_.write("m.mlir", matmulText(192, 192, 192));
    ASSERT_EQ(box_.hone(bench_).code, 0);
  }

  void expectSlowerIsAnExitCode() {
    const CommandResult slower = box_.hone({"compare", "1", "last"});
    EXPECT_EQ(slower.code, 1) << slower.out << slower.err;
    EXPECT_THAT(slower.out, HasSubstr("1 slower"));
    for (const std::string& line : splitAt(slower.out, '\n')) {
      EXPECT_LE(line.size(), 80U) << line;
    }
    const CommandResult faster = box_.hone({"compare", "3", "1", "--json"});
    EXPECT_EQ(faster.code, 0) << faster.err;
    EXPECT_EQ(faster.json().at("counts").at("faster"), 1);
    EXPECT_GT(faster.json().at("things").at(0).at("speedup").at("low"), 5);
  }
  void expectTheSameBinaryIsTheSame() {
    const CommandResult ran = box_.hone({"compare", "1", "2"});
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("1 same"));
    EXPECT_THAT(ran.out, HasSubstr("1 identical binary"));
  }
  void expectReadsAnotherStoreAndWritesAPage() {
    const CommandResult ran =
        box_.hone({"compare", "1", "3", "--other-store", "before.db", "--html", "compare.html"});
    EXPECT_EQ(ran.code, 1) << ran.err;
    const std::string page = readFile(box_.work() / "compare.html").value();
    EXPECT_THAT(page, HasSubstr("1 of 1 slower or broken."));
    EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  }
  void expectErrorsAreOneLine() {
    expectError(box_.hone({"compare", "1", "9"}), 2, {"no run 9", "most recent: 3, 2, 1"});
    expectError(box_.hone({"compare", "1", "x"}), 2, {"invalid run 'x'"});
    expectError(box_.hone({"compare", "1", "2", "--margin", "much"}), 2, {"--margin", "5%"});
    expectError(box_.hone({"compare", "1", "2", "--other-store", "no.db"}), 2, {"no.db"});
    expectError(box_.hone({"compare", "1", "2", "--html", "no/page.html"}), 2, {"no/page.html"});
    expectError(box_.hone({"compare", "1"}), 2, {"AFTER"});
  }

 private:
  Sandbox box_;
  const std::vector<std::string> bench_ = {"bench", "m.mlir", "--rounds", "10", "--quiet"};
};

TEST_F(Compare, ComparesThreeRuns) {
  expectSlowerIsAnExitCode();
  expectTheSameBinaryIsTheSame();
  expectReadsAnotherStoreAndWritesAPage();
  expectErrorsAreOneLine();
}

TEST(CompareErrors, RejectsRunsWithNothingInCommon) {
  Sandbox box;
  {
    store::Store store = store::Store::open(box.store(), store::Store::Mode::write).value();
    store::Run run;
    run.command = "bench";
    run.arguments = {"bench", "m.mlir"};
    const std::int64_t first = store.addRun(run).value();
    ASSERT_TRUE(store.addRun(run));
    ASSERT_TRUE(store.finishRun(first, store::RunStatus::finished, nlohmann::json::object()));
  }
  expectError(box.hone({"compare", "1", "2", "--html", "compare.html"}), 2,
              {"run 1 (finished) and run 2 (running)", "no measurement in common"});
  EXPECT_FALSE(fs::exists(box.work() / "compare.html"));
}

TEST(CompareErrors, ReportsMeasurementsMissingFromFailedRun) {
  Sandbox box;
  {
    store::Store store = store::Store::open(box.store(), store::Store::Mode::write).value();
    store::Run run;
    run.command = "bench";
    run.arguments = {"bench", "m.mlir"};
    const auto addRun = [&](const std::vector<std::string>& configs, store::RunStatus status) {
      const std::int64_t id = store.addRun(run).value();
      for (const std::string& name : configs) {
        store::Trial trial;
        trial.key = trial.problem = trial.config.name = name;
        std::vector<model::Sample> samples;
        for (std::int64_t round = 0; round < 10; ++round) {
          samples.push_back({.round = round, .wallNs = 5e6, .cpuNs = 5e6});
        }
        ASSERT_TRUE(store.addTrial(id, trial, samples));
      }
      ASSERT_TRUE(store.finishRun(id, status, nlohmann::json::object()));
    };
    addRun({"a", "b"}, store::RunStatus::finished);
    addRun({"a"}, store::RunStatus::failed);
  }
  const CommandResult ran = box.hone({"compare", "1", "2"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("run 2 is failed, not finished: 1 item timed in run 1 is missing"));
  EXPECT_EQ(box.hone({"compare", "2", "1"}).code, 0);
}

}  // namespace
}  // namespace hone::test
