#include "engine/trial_log.h"

#include <gtest/gtest.h>

#include "base/file.h"

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

}  // namespace
}  // namespace hone::engine
