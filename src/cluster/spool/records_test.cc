#include "cluster/spool/records.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::cluster {
namespace {

using model::Outcome;
using model::Stage;

TEST(RecordsTest, WorkerRecordsReachStoreOnce) {
  ScratchStore scratch = ScratchStore::create().value();
  store::Trial trial;
  trial.key = "k";
  trial.problem = "matmul";
  trial.config.name = "tiles";
  trial.config.flags = {"--x"};
  trial.details.passed = true;
  const std::vector<model::Sample> screen = {{Stage::screen, 0, 0, 0, 10, 9, 1}};
  const std::int64_t id = scratch.store().addTrial(scratch.run(), trial, screen).value();
  const std::vector<store::TrialSample> race = {{id, {Stage::race, 2, 1, 0, 12.5, 11, 4}}};
  ASSERT_TRUE(scratch.store().addSamples(race));

  auto records = recordsFrom(toJson(scratch.records().value())).value();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].trial.config, trial.config);
  ASSERT_EQ(records[0].samples.size(), 2u);

  ScratchStore head = ScratchStore::create().value();
  const std::int64_t node = head.store().addNode({"n1", "cpu", "gpu", "driver 1"}).value();
  EXPECT_EQ(head.store().addNode({"n1", "cpu", "gpu", "driver 1"}).value(), node);
  EXPECT_NE(head.store().addNode({"n1", "cpu", "gpu", "driver 2"}).value(), node);
  setNode(records, node);
  const auto first = head.store().merge(head.run(), records).value();
  records[0].trial.outcome = Outcome::tooSlow;
  records[0].trial.message = "lost the race";
  EXPECT_EQ(head.store().merge(head.run(), records).value(), first);

  const auto merged = head.records().value();
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].trial.outcome, Outcome::tooSlow);
  EXPECT_EQ(merged[0].trial.details, trial.details);
  ASSERT_EQ(merged[0].samples.size(), 2u);
  const auto samples = head.store().samples(head.run()).value();
  for (const store::TrialSample& one : samples) {
    EXPECT_EQ(one.node, node);
  }
  EXPECT_EQ(merged[0].samples[1].wallNs, 12.5);
  EXPECT_EQ(head.store().nodes()->at(node).device, "gpu");
}

TEST(RecordsTest, RejectsInvalidRecords) {
  EXPECT_FALSE(recordsFrom({{{"key", "k"}}}));
  nlohmann::json records = toJson(std::vector{store::TrialRecord{}});
  records[0]["outcome"] = "splendid";
  EXPECT_FALSE(recordsFrom(records));
}

}  // namespace
}  // namespace hone::cluster
