// Tests of `hone report`; tests/browser opens the pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "store/store.h"
#include "tests/cli/cli.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Report : public testing::Test {
 protected:
  void SetUp() override {
    auto store = store::Store::open(box_.store(), store::Store::Mode::write);
    ASSERT_TRUE(store) << store.error().message;
    for (const char* program : {"first.mlir", "second.mlir"}) {
      store::Run run;
      run.key = program;
      run.command = "bench";
      run.arguments = {"bench", program};
      const std::int64_t id = store->addRun(run).value();
      store::Trial trial;
      trial.key = "baseline";
      const std::vector<model::Sample> samples = {{.wallNs = 5e6, .cpuNs = 4e6}};
      ASSERT_TRUE(store->addTrial(id, trial, samples));
      ASSERT_TRUE(store->finishRun(id, store::RunStatus::finished, nlohmann::json::object()));
    }
  }
  [[nodiscard]] std::string written(const std::string& name) const {
    return readFile(box_.work() / name).value_or("");
  }

  Sandbox box_;
};

TEST_F(Report, WritesPageAndPrintsItsName) {
  const CommandResult ran = box_.hone({"report", "1", "-o", "page.html"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "page.html\n");
  EXPECT_THAT(written("page.html"), AllOf(StartsWith("<!doctype html>"), HasSubstr("first.mlir")));
  EXPECT_FALSE(fs::exists(box_.work() / "page.csv"));
  EXPECT_THAT(box_.leftoverFiles(), testing::IsEmpty());
}

TEST_F(Report, AcceptsLastForNewestRun) {
  const CommandResult ran = box_.hone({"report", "last"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "report-2.html\n");
  EXPECT_THAT(written("report-2.html"), HasSubstr("second.mlir"));
}

TEST_F(Report, WritesDataOnRequest) {
  const CommandResult ran = box_.hone({"report", "1", "-o", "page.html", "--csv", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "page.html\npage.csv\npage.json\n");
  EXPECT_THAT(written("page.csv"), AllOf(StartsWith("run,trial,problem,"), HasSubstr("5000000")));
  const auto json = nlohmann::json::parse(written("page.json"));
  EXPECT_EQ(json.at("run").at("trials").at(0).at("samples").size(), 1U);
  EXPECT_THAT(json.at("page").at("title").get<std::string>(), HasSubstr("first.mlir"));
}

TEST_F(Report, PrintsGainsOfSeveralRuns) {
  {
    auto store = store::Store::open(box_.store(), store::Store::Mode::write);
    ASSERT_TRUE(store) << store.error().message;
    store::Run run;
    run.key = run.command = "tune";
    run.arguments = {"tune", "m.mlir"};
    const std::int64_t id = store->addRun(run).value();
    const nlohmann::json program = {{"program", "m"},
                                    {"default_ns", 3e6},
                                    {"tuned_ns", 1e6},
                                    {"speedup", {2.9, 3, 3.1}},
                                    {"verdict", "improved"}};
    ASSERT_TRUE(store->finishRun(id, store::RunStatus::finished,
                                 {{"programs", nlohmann::json::array({program})}}));
  }
  const CommandResult ran = box_.hone({"report", "1", "3"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "run  item      before    after  speedup      95 % CI\n"
            "  3  tune: m  3.00 ms  1.00 ms    3.00x  2.90 - 3.10  faster\n"
            "\n"
            "run  verb   result\n"
            "  1  bench  1 trial recorded\n"
            "\n"
            "report.html\n");
  EXPECT_THAT(written("report.html"),
              AllOf(HasSubstr("Significant speedups: 1 of 1"), HasSubstr("Speedups"),
                    HasSubstr("m is 3.00x as fast: 3.00 ms"), HasSubstr("About this run")));
  expectError(box_.hone({"report", "1", "3", "--csv"}), 2, {"single run"});
}

TEST_F(Report, RejectsInvalidOptions) {
  expectError(box_.hone({"report"}), 2, {"RUN"});
  expectError(box_.hone({"report", "7"}), 2, {"no run 7", "2, 1"});
  expectError(box_.hone({"report", "newest"}), 2, {"invalid run 'newest'", "last"});
  expectError(box_.hone({"report", "1", "-o", "nowhere/page.html"}), 2,
              {"folder nowhere does not exist"});
  expectError(box_.hone({"report", "1", "-o", "."}), 2, {"cannot write .: it is a folder"});
  expectError(box_.hone({"report", "1", "-o", "x.csv", "--csv"}), 2,
              {"x.csv", "another extension"});
  expectError(box_.hone({"--store", "none.db", "report", "1"}), 2, {"no store found at none.db"});
}

TEST_F(Report, ReadsEveryRunOfOlderStore) {
  fs::copy_file(sourceFolder() / "tests/data/store_2.db", box_.work() / "older.db");
  const auto hone = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--store", "older.db"});
    return box_.hone(arguments);
  };
  const std::vector<std::string> answers = {"23.7 µs",
                                            "A",
                                            "1.16x",
                                            "7 dispatches of 1 operation",
                                            "1 dispatch of 1 operation",
                                            "workload",
                                            "9.43x",
                                            "8 kernels",
                                            "23.1 µs → 20.9 µs",
                                            "compiler's default",
                                            "2 of 2 slow",
                                            "split",
                                            "8 trials"};
  const auto runs = hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string id = std::to_string(i + 1);
    const CommandResult page = hone({"report", id, "-o", "page.html", "--json"});
    ASSERT_EQ(page.code, 0) << page.err;
    const auto json = nlohmann::json::parse(written("page.json"));
    EXPECT_THAT(json.at("page").at("answer").at("headline").get<std::string>(),
                HasSubstr(answers[i]))
        << id;
    EXPECT_EQ(hone({"runs", "show", id}).code, 0) << id;
    const CommandResult exported = hone({"runs", "export", id, "--json"});
    EXPECT_EQ(exported.json(), json.at("run")) << id;
    EXPECT_NE(hone({"compare", id, id}).code, 3) << id;
  }
}

TEST_F(Report, ReadsStoreDuringWrite) {
  const auto writer = store::Store::open(box_.store(), store::Store::Mode::write);
  ASSERT_TRUE(writer);
  EXPECT_EQ(box_.hone({"report", "1"}).code, 0);
}

}  // namespace
}  // namespace hone::test
