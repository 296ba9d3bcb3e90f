#include "store/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text/text.h"

namespace hone::store {
namespace {

using testing::HasSubstr;

class ExportTest : public testing::Test {
 protected:
  void SetUp() override {
    store::Run run;
    run.command = "tune";
    run.arguments = {"tune", "m.mlir"};
    run.seed = ~0ULL;
    run_ = store_.addRun(run).value();
    Trial fast;
    fast.key = "a";
    fast.problem = "matmul";
    fast.config = {.name = "tiles, 8x8", .flags = {"--x", "--y=a b"}, .attributes = {}};
    fast.artifact = "abc";
    const std::vector<model::Sample> samples = {
        {.stage = model::Stage::screen, .round = 0, .position = 2, .wallNs = 1500, .cpuNs = 0.1},
        {.stage = model::Stage::race, .round = 1, .iterations = 4}};
    ASSERT_TRUE(store_.addTrial(run_, fast, std::span(samples).first(1)));
    const std::int64_t node = store_.addNode({"n1", "a cpu", "a gpu", "a driver"}).value();
    const TrialRecord remote{fast, {samples[1]}, node};
    ASSERT_TRUE(store_.merge(run_, std::span(&remote, 1)));
    Trial broken;
    broken.key = "b";
    broken.outcome = model::Outcome::compileFailed;
    broken.message = "said \"no\",\nthen \xff died";
    ASSERT_TRUE(store_.addTrial(run_, broken, {}));
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-export-test").value();
  Store store_ = Store::open(folder_.path() / "hone.db", Store::Mode::write).value();
  std::int64_t run_ = 0;
};

TEST_F(ExportTest, CsvHasOneRowPerSampleOrEmptyTrial) {
  EXPECT_EQ(exportCsv(store_, run_).value(),
            "run,trial,problem,config,outcome,message,stage,round,position,repetition,"
            "iterations,wall_ns,cpu_ns,artifact,flags,node\n"
            "1,1,matmul,\"tiles, 8x8\",ok,,screen,0,2,0,1,1500,0.1,abc,--x '--y=a b',\n"
            "1,1,matmul,\"tiles, 8x8\",ok,,race,1,0,0,4,0,0,abc,--x '--y=a b',n1\n"
            "1,2,,baseline,compile_failed,\"said \"\"no\"\",\nthen \xff died\",,,,,,,,,,\n");
}

TEST_F(ExportTest, JsonIsCompleteAndUtf8) {
  const auto document = exportJson(store_, run_).value();
  EXPECT_EQ(document["arguments"], (std::vector<std::string>{"tune", "m.mlir"}));
  EXPECT_EQ(document["seed"], ~0ULL);
  ASSERT_EQ(document["trials"].size(), 2u);
  EXPECT_EQ(document["trials"][0]["samples"].size(), 2u);
  EXPECT_EQ(document["trials"][0]["samples"][0]["cpu_ns"], 0.1);
  EXPECT_EQ(document["trials"][0]["samples"][0]["node"], 0);
  EXPECT_EQ(document["nodes"][document["trials"][0]["samples"][1]["node"].dump()]["device"],
            "a gpu");
  EXPECT_EQ(document["trials"][1]["outcome"], "compile_failed");
  EXPECT_EQ(document["trials"][1]["samples"].size(), 0u);
  EXPECT_THAT(document.dump(), HasSubstr("\xEF\xBF\xBD died"));
}

TEST_F(ExportTest, NamesUnknownRun) {
  EXPECT_THAT(exportCsv(store_, 9).error().message, HasSubstr("no run 9"));
  EXPECT_THAT(exportJson(store_, 9).error().message, HasSubstr("no run 9"));
}

}  // namespace
}  // namespace hone::store
