#include "engine/trial_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "base/file.h"
#include "tests/source_folder.h"

namespace hone::engine {
namespace {

using model::Outcome;
using model::Stage;

class TrialLogTest : public testing::Test {
 protected:
  static store::Trial trial(const std::string& key) {
    store::Trial one;
    one.key = key;
    return one;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-log-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  TrialLog log_{store_, store_.addRun({}).value()};
};

TEST_F(TrialLogTest, RestoresRecordsOfAnotherLog) {
  store::Trial first = trial("first");
  store::Trial second = trial("second");
  const std::vector<model::Sample> samples = {{Stage::screen, 0, 0, 0, 7, 5, 1}};
  ASSERT_TRUE(log_.add(first, samples));
  ASSERT_TRUE(log_.add(second, {}));
  ASSERT_TRUE(log_.setOutcome(second.id, Outcome::runFailed, "it crashed"));
  first.details.screenNs = 5;
  ASSERT_TRUE(log_.saveDetails(first));
  const store::TrialSample later{first.id, {Stage::race, 0, 0, 0, 8, 6, 1}};
  ASSERT_TRUE(log_.addSamples(std::span(&later, 1)));

  TrialLog again(store_, log_.run());
  EXPECT_EQ(again.find("first"), nullptr);
  ASSERT_TRUE(again.restore());
  EXPECT_EQ(again.trials(), log_.trials());
  ASSERT_NE(again.find(second.id), nullptr);
  EXPECT_EQ(again.find(second.id)->message, "it crashed");
  EXPECT_EQ(again.find("first")->details.screenNs, 5);
  ASSERT_EQ(again.samples(first.id).size(), 2u);
  EXPECT_EQ(again.samples(first.id)[1].stage, Stage::race);
  EXPECT_EQ(log_.samples(first.id).size(), 2u);
  EXPECT_TRUE(again.samples(second.id).empty());
}

TEST_F(TrialLogTest, MergeReplacesTrialWithSameKey) {
  store::Trial first = trial("first");
  ASSERT_TRUE(log_.add(first, {}));
  store::TrialRecord record;
  record.trial = trial("first");
  record.trial.outcome = Outcome::mismatch;
  const auto ids = log_.merge(std::span(&record, 1));
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->front(), first.id);
  ASSERT_EQ(log_.trials().size(), 1u);
  EXPECT_EQ(log_.find("first")->outcome, Outcome::mismatch);
}

/// Continues an interrupted tune of an older hone; see tests/data/README.md.
TEST(OlderRun, IsContinued) {
  const ScratchFolder folder = ScratchFolder::create("hone-older-run").value();
  std::filesystem::copy_file(sourceFolder() / "tests/data/store_2.db", folder.path() / "s.db");
  store::Store store =
      store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  const auto before = store.unfinishedRun(store.run(13).value()->key).value();
  ASSERT_TRUE(before);
  TrialLog log(store, before->id);
  ASSERT_TRUE(log.restore());
  ASSERT_EQ(log.trials().size(), 8U);
  const auto count = [&] {
    return std::accumulate(
        log.trials().begin(), log.trials().end(), std::size_t{0},
        [&](std::size_t sum, const store::Trial& one) { return sum + log.samples(one.id).size(); });
  };
  EXPECT_EQ(count(), 16U);

  // All that a search needs, so that it neither compiles nor measures them again.
  const store::Trial& baseline = log.trials().front();
  EXPECT_EQ(log.find(baseline.key), &baseline);
  EXPECT_EQ(baseline.details.scope, "flags");
  EXPECT_EQ(baseline.details.passed, true);
  EXPECT_NEAR(baseline.details.screenNs.value(), 27752, 1);
  EXPECT_EQ(baseline.details.verified, "reference");
  EXPECT_TRUE(log.trials()[1].details.twin);
  EXPECT_EQ(log.trials()[3].outcome, Outcome::tooSlow);
  EXPECT_EQ(log.trials()[4].details.sameAs, baseline.key);
  EXPECT_EQ(before->details.paces.size(), 2U);

  store::Trial next;
  next.key = "next";
  const std::vector<model::Sample> samples = {{Stage::screen, 0, 0, 0, 7, 5, 1}};
  ASSERT_TRUE(log.add(next, samples));
  TrialLog again(store, before->id);
  ASSERT_TRUE(again.restore());
  EXPECT_EQ(again.trials(), log.trials());
  EXPECT_EQ(count(), 17U);
}

}  // namespace
}  // namespace hone::engine
