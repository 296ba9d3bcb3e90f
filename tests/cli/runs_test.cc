// Tests of `hone runs` and its subcommands on runs of `hone bench`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "base/text/text.h"
#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class Runs : public testing::Test {
 protected:
  void SetUp() override {
    box_.write("m.mlir", matmulText(64, 64, 64));
    box_.write("c.json", nlohmann::json({tiles("a", 8, 16, 1), tiles("b", 4, 16, 1)}).dump());
  }

  Sandbox box_;
  const std::vector<std::string> bench_ = {"bench",    "m.mlir", "--configs", "c.json",
                                           "--rounds", "5",      "--quiet"};
};

void expectCsv(const std::string& text, const nlohmann::json& document) {
  const auto lines = splitAt(trim(text), '\n');
  EXPECT_THAT(lines.at(0), StartsWith("run,trial,problem,config,outcome,message,stage,round"));
  std::size_t rows = 0;
  for (const nlohmann::json& trial : document.at("trials")) {
    rows += std::max<std::size_t>(trial.at("samples").size(), 1);
  }
  EXPECT_EQ(lines.size(), rows + 1) << "one row per sample, and one per trial without samples";
}

TEST_F(Runs, ListsShowsAndExports) {
  ASSERT_EQ(box_.hone(bench_).code, 0);
  const CommandResult list = box_.hone({"runs"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("finished"));
  const nlohmann::json listed = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].at("trials"), 4);  // the baseline, its twin and two configs
  EXPECT_EQ(listed[0].at("status"), "finished");

  const CommandResult shown = box_.hone({"runs", "show", "1"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out, HasSubstr("run 1: hone bench m.mlir --configs c.json"));
  EXPECT_THAT(shown.out, testing::Not(HasSubstr("runs resume")));
  const nlohmann::json view = box_.hone({"runs", "show", "1", "--json"}).json();
  EXPECT_EQ(view.at("trials").size(), 4U);
  EXPECT_EQ(view.at("summary").at("candidates").size(), 3U);

  const nlohmann::json document = box_.hone({"runs", "export", "1", "--json"}).json();
  EXPECT_FALSE(document.at("trials").at(0).at("samples").empty());
  const CommandResult csv = box_.hone({"runs", "export", "1", "--csv"});
  EXPECT_EQ(csv.code, 0);
  expectCsv(csv.out, document);
  const CommandResult file = box_.hone({"runs", "export", "1", "--csv", "-o", "run.csv"});
  EXPECT_EQ(file.code, 0);
  EXPECT_EQ(file.out, "");
  EXPECT_EQ(readFile(box_.work() / "run.csv").value(), csv.out);

  expectError(box_.hone({"runs", "resume", "1"}), 2, {"run 1 is finished", "hone runs show 1"});
  for (const char* verb : {"show", "resume"}) {
    expectError(box_.hone({"runs", verb, "7"}), 2, {"no run 7", "most recent: 1"});
  }
  EXPECT_EQ(box_.hone({"runs", "export", "last", "--csv"}).out, csv.out);
  expectError(box_.hone({"runs", "export", "7", "--csv"}), 2, {"no run 7"});
  expectError(box_.hone({"runs", "show", "x"}), 2, {"invalid run 'x'", "last"});
  expectError(box_.hone({"runs", "export", "1", "--csv", "--json"}), 2, {"either --csv or --json"});
  expectError(box_.hone({"runs", "export", "1", "--csv", "-o", "no/such/folder.csv"}), 3,
              {"no/such/folder.csv"});
}

class KilledRuns : public Runs {
 protected:
  /// Starts a run and kills it after its first stored trial.
  void killEarly() {
    nlohmann::json configs;
    for (int i = 1; i <= 4; ++i) {
      configs.push_back(tiles(fmt::format("t{}", i), i, 16, 1));
    }
    box_.write("c.json", configs.dump());
    Process process = box_.start(bench_);
    ASSERT_TRUE(eventually([&] { return process.ended() || box_.countStoredTrials(1) > 0; }));
    process.signal(SIGKILL);
    ASSERT_EQ(process.wait().code, 128 + SIGKILL);
    ASSERT_TRUE(box_.allProcessesEnd());
  }
};

TEST_F(KilledRuns, ResumeByNumberFromAnyFolder) {
  killEarly();
  const CommandResult shown = box_.hone({"runs", "show", "1"});
  EXPECT_THAT(shown.out, HasSubstr("running"));
  EXPECT_THAT(shown.out, HasSubstr("hone runs resume 1"));
  // From another folder, with a relative path of the store.
  box_.prepare([folder = box_.store().parent_path()] { return ::chdir(folder.c_str()) == 0; });
  const CommandResult resumed = box_.hone({"runs", "resume", "1", "--store", "hone.db", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.json().at("run"), 1);
  EXPECT_EQ(resumed.json().at("candidates").size(), 5U);
  const nlohmann::json runs = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].at("status"), "finished");
  EXPECT_EQ(runs[0].at("trials"), 6);
  EXPECT_THAT(box_.leftoverFiles(), testing::IsEmpty());
}

TEST_F(KilledRuns, RejectResumeAfterChange) {
  killEarly();
  box_.write("m.mlir", matmulText(64, 64, 32));
  expectError(box_.hone({"runs", "resume", "1"}), 2, {"cannot resume run 1", "changed"});
  EXPECT_EQ(box_.hone({"runs", "--json"}).json().at("runs").size(), 1U);
  fs::remove(box_.work() / "m.mlir");
  expectError(box_.hone({"runs", "resume", "1"}), 2, {"m.mlir", "No such file"});
}

}  // namespace
}  // namespace hone::test
