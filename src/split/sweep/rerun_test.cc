#include "split/sweep/rerun.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "split/sweep/result_files.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

constexpr std::array<std::int64_t, 3> kLimits = {1, 8, 64};

class FindDeletedTest : public testing::Test {
 protected:
  void SetUp() override {
    SweepResult sweep{{1, 8, 64}, {testShape(16, 16, 65536)}, {}, 0};
    sweep.shapes[0].limits = {{1, timingUs(3)}, {8, timingUs(2)}, {64, timingUs(1)}};
    sweep.shapes[0].baseline = sweep.shapes[0].noSplit = timingUs(3);
    ASSERT_TRUE(writeResults(folder(), "x", sweep));
  }
  [[nodiscard]] std::filesystem::path folder() const { return scratch_.path(); }
  void remove(const char* name) { ASSERT_TRUE(std::filesystem::remove(folder() / name)); }

 private:
  ScratchFolder scratch_ = ScratchFolder::create().value();
};

TEST_F(FindDeletedTest, IsNothingInCompleteOrNewFolder) {
  EXPECT_TRUE(findDeleted(folder(), "x", kLimits).empty());
  EXPECT_TRUE(findDeleted(folder() / "none", "x", kLimits).empty());
  EXPECT_TRUE(findDeleted(folder(), "y", kLimits).empty()) << "another workload";
}

TEST_F(FindDeletedTest, NamesRemovedTables) {
  remove("limit_64_x.csv");
  EXPECT_EQ(findDeleted(folder(), "x", kLimits), (Rerun{{64}, false, false}));
  remove("limit_baseline_x.csv");
  const Rerun rerun = findDeleted(folder(), "x", kLimits);
  EXPECT_EQ(rerun, (Rerun{{64}, true, false}));
  EXPECT_EQ(rerun.names(), "baseline, limit 64");
  EXPECT_EQ(rerunFrom(toJson(rerun)), rerun);
}

TEST_F(FindDeletedTest, IsEverythingIfOnlySummaryRemains) {
  for (const char* name : {"1", "8", "64", "baseline", "nosplit"}) {
    remove(fmt::format("limit_{}_x.csv", name).c_str());
  }
  EXPECT_EQ(findDeleted(folder(), "x", kLimits), (Rerun{{1, 8, 64}, true, true}));
}

TEST(Rerun, IncludesAllLimitsOfOneChoice) {
  Choice choice;
  choice.limits = {32, 64};
  Rerun rerun;
  rerun.limits = {64};
  EXPECT_TRUE(rerun.includes(choice));
  choice.limits = {8};
  choice.isBaseline = true;
  EXPECT_FALSE(rerun.includes(choice));
  rerun.baseline = true;
  EXPECT_TRUE(rerun.includes(choice));
  choice.isBaseline = false;
  choice.isNoSplit = true;
  EXPECT_FALSE(rerun.includes(choice));
}

TEST(Rerun, ReplacesOnlyItsTimes) {
  model::ShapeRecord record;
  record.shape = testShape(16, 16, 65536);
  record.shape.limits = {{8, timingUs(2)}, {32, timingUs(1)}, {64, timingUs(1)}};
  record.shape.baseline = timingUs(3);
  model::ShapeRecord measured;
  measured.shape.limits = {{32, timingUs(5)}, {64, timingUs(5)}};  // one choice
  removeTimes(record.shape, {{64}, false, true});
  EXPECT_FALSE(record.shape.limits.contains(64)) << "absent until it is measured";
  addRerun(record, measured);
  EXPECT_EQ(record.shape.limits, (std::map<std::int64_t, Timing>{
                                     {8, timingUs(2)}, {32, timingUs(5)}, {64, timingUs(5)}}));
  EXPECT_EQ(record.shape.baseline, timingUs(3));
  EXPECT_FALSE(record.shape.noSplit);
}

}  // namespace
}  // namespace hone::split
