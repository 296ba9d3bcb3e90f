// `hone runs` and its verbs, on runs that `hone bench` made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "base/text/text.h"
#include "cli.h"

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
  EXPECT_EQ(lines.size(), rows + 1) << "a row a sample, and one for a trial without";
}

TEST_F(Runs, AreListedShownAndExported) {
  ASSERT_EQ(box_.hone(bench_).code, 0);
  const Ran list = box_.hone({"runs"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("finished"));
  const nlohmann::json listed = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].at("trials"), 4);  // the baseline, its twin, two configs
  EXPECT_EQ(listed[0].at("status"), "finished");

  const Ran shown = box_.hone({"runs", "show", "1"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out, HasSubstr("run 1: hone bench m.mlir --configs c.json"));
  EXPECT_THAT(shown.out, testing::Not(HasSubstr("runs resume")));
  const nlohmann::json view = box_.hone({"runs", "show", "1", "--json"}).json();
  EXPECT_EQ(view.at("trials").size(), 4U);
  EXPECT_EQ(view.at("summary").at("candidates").size(), 3U);

  const nlohmann::json document = box_.hone({"runs", "export", "1", "--json"}).json();
  EXPECT_FALSE(document.at("trials").at(0).at("samples").empty());
  const Ran csv = box_.hone({"runs", "export", "1", "--csv"});
  EXPECT_EQ(csv.code, 0);
  expectCsv(csv.out, document);
  const Ran file = box_.hone({"runs", "export", "1", "--csv", "-o", "run.csv"});
  EXPECT_EQ(file.code, 0);
  EXPECT_EQ(file.out, "");
  EXPECT_EQ(readFile(box_.work() / "run.csv").value(), csv.out);

  expectError(box_.hone({"runs", "resume", "1"}), 2, {"run 1 is finished", "hone runs show 1"});
  for (const char* verb : {"show", "resume"}) {
    expectError(box_.hone({"runs", verb, "7"}), 2, {"there is no run 7", "the last ones are 1"});
  }
  expectError(box_.hone({"runs", "export", "7", "--csv"}), 2, {"there is no run 7"});
  expectError(box_.hone({"runs", "export", "1", "--csv", "--json"}), 2, {"either --csv or --json"});
  expectError(box_.hone({"runs", "export", "1", "--csv", "-o", "no/such/folder.csv"}), 3,
              {"no/such/folder.csv"});
}

class KilledRuns : public Runs {
 protected:
  /// A run that was killed as soon as its first trial was stored.
  void killEarly() {
    nlohmann::json configs;
    for (int i = 1; i <= 4; ++i) {
      configs.push_back(tiles(fmt::format("t{}", i), i, 16, 1));
    }
    box_.write("c.json", configs.dump());
    Process process = box_.start(bench_);
    ASSERT_TRUE(eventually([&] { return process.ended() || box_.trialsStored(1) > 0; }));
    process.signal(SIGKILL);
    ASSERT_EQ(process.wait().code, 128 + SIGKILL);
    ASSERT_TRUE(box_.allProcessesEnd());
  }
};

TEST_F(KilledRuns, GoOnByTheirNumberFromAnyFolder) {
  killEarly();
  const Ran shown = box_.hone({"runs", "show", "1"});
  EXPECT_THAT(shown.out, HasSubstr("running"));
  EXPECT_THAT(shown.out, HasSubstr("hone runs resume 1"));
  // From another folder, with a name of the store that is relative to it.
  box_.prepare([folder = box_.store().parent_path()] { return ::chdir(folder.c_str()) == 0; });
  const Ran resumed = box_.hone({"runs", "resume", "1", "--store", "hone.db", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.json().at("run"), 1);
  EXPECT_EQ(resumed.json().at("candidates").size(), 5U);
  const nlohmann::json runs = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].at("status"), "finished");
  EXPECT_EQ(runs[0].at("trials"), 6);
  EXPECT_THAT(box_.litter(), testing::IsEmpty());
}

TEST_F(KilledRuns, DoNotGoOnAsSomethingElse) {
  killEarly();
  box_.write("m.mlir", matmulText(64, 64, 32));
  expectError(box_.hone({"runs", "resume", "1"}), 2, {"run 1 cannot go on", "changed"});
  EXPECT_EQ(box_.hone({"runs", "--json"}).json().at("runs").size(), 1U);
  fs::remove(box_.work() / "m.mlir");
  expectError(box_.hone({"runs", "resume", "1"}), 2, {"m.mlir", "No such file"});
}

}  // namespace
}  // namespace hone::test
