#include "engine/rounds/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"

namespace hone::engine {
namespace {

TEST(Shuffled, IsAPermutationThatDependsOnSeedAndRound) {
  std::set<std::vector<std::size_t>> seen;
  for (std::int64_t round = 0; round < 20; ++round) {
    auto order = shuffled(6, 1, round);
    EXPECT_EQ(order, shuffled(6, 1, round));
    EXPECT_THAT(order, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
    seen.insert(order);
  }
  EXPECT_GT(seen.size(), 10u);
  EXPECT_NE(shuffled(8, 1, 0), shuffled(8, 2, 0));
  EXPECT_TRUE(shuffled(0, 1, 0).empty());
}

/// Every index is first about equally often.
TEST(Shuffled, IsUniform) {
  std::vector<int> first(4);
  for (std::int64_t round = 0; round < 4000; ++round) {
    ++first[shuffled(4, 7, round).front()];
  }
  for (const int count : first) {
    EXPECT_NEAR(count, 1000, 150);
  }
}

/// A run with trials 1 to 9 and samples recorded by an earlier process.
class RoundsTest : public ::testing::Test {
 protected:
  RoundsTest() {
    for (int i = 1; i <= 9; ++i) {
      store::Trial trial;
      trial.key = std::to_string(i);
      EXPECT_TRUE(log_.add(trial, {}));
      EXPECT_EQ(trial.id, i);
    }
  }
  void record(std::int64_t trial, std::int64_t round, double cpuNs) {
    model::Sample sample;
    sample.stage = model::Stage::race;
    sample.round = round;
    sample.repetition = ++repetitions_;
    sample.cpuNs = cpuNs;
    const store::TrialSample one{trial, sample};
    ASSERT_TRUE(store_.addSamples(std::span(&one, 1)));
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-rounds-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  TrialLog log_{store_, store_.addRun({}).value()};
  std::int64_t repetitions_ = 0;
};

/// Reads a recorded round without running anything: the runner has no device.
TEST_F(RoundsTest, DoesNotRepeatRecordedRounds) {
  const iree::ModuleRunner runner({"/nowhere", ""}, iree::deviceNamed("local-sync"), {});
  const Sampler sampler(runner);
  for (const auto& [trial, cpuNs] :
       {std::pair(1, 10.0), std::pair(1, 30.0), std::pair(1, 20.0), std::pair(3, 7.0)}) {
    record(trial, 4, cpuNs);
  }
  ASSERT_TRUE(log_.restore());
  Rounds rounds(sampler.rankBy(), log_, model::Stage::race);
  std::vector<Participant> participants;
  for (const std::int64_t trial : {1, 2, 3}) {
    participants.push_back(callParticipant(trial, sampler, {}, {}));
  }
  const std::vector<std::size_t> order = {2, 1, 0};
  const auto times = rounds.take(4, participants, order);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(*times, (std::vector<std::optional<double>>{20.0, std::nullopt, 7.0}));
  EXPECT_FALSE(rounds.take(5, participants, order));
}

TEST_F(RoundsTest, NewParticipantsStartAfterRecordedRounds) {
  const Rounds rounds(iree::RankBy::cpu, log_, model::Stage::race);
  const auto makeParticipants = [](const std::vector<std::int64_t>& trials) {
    std::vector<Participant> participants;
    for (const std::int64_t trial : trials) {
      participants.push_back({trial, {}});
    }
    return participants;
  };
  EXPECT_EQ(rounds.firstRound(makeParticipants({1, 2, 3})), 0);
  const auto recordAll = [&](std::int64_t round, const std::vector<std::int64_t>& trials) {
    for (const std::int64_t trial : trials) {
      record(trial, round, 1);
    }
  };
  recordAll(0, {1, 2, 3});
  recordAll(1, {1, 2});  // 3 was dropped
  recordAll(2, {1, 4});
  recordAll(7, {8, 9});  // another experiment
  ASSERT_TRUE(log_.restore());
  EXPECT_EQ(rounds.firstRound(makeParticipants({1, 2, 3})), 0);
  EXPECT_EQ(rounds.firstRound(makeParticipants({1, 4})), 2)
      << "also continues a second set of participants";
  EXPECT_EQ(rounds.firstRound(makeParticipants({1, 3, 5})), 3);
  EXPECT_EQ(rounds.firstRound(makeParticipants({6, 7})), 0);
}

TEST_F(RoundsTest, ReadsTimesOfOneStageByRound) {
  record(1, 3, 20);
  record(1, 5, 30);
  record(2, 3, 40);
  ASSERT_TRUE(log_.restore());
  const auto times = roundTimes(log_, 1, model::Stage::race, iree::RankBy::cpu);
  EXPECT_EQ(times, (std::map<std::int64_t, double>{{3, 20}, {5, 30}}));
  EXPECT_TRUE(roundTimes(log_, 1, model::Stage::final, iree::RankBy::cpu).empty());
}

TEST(Rounds, KeepsOutcomeOfFailedRacer) {
  const ScratchFolder folder = ScratchFolder::create("hone-rounds-test").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  const std::int64_t run = store.addRun({}).value();
  std::vector<std::int64_t> ids;
  for (const char* key : {"lost", "failed", "won"}) {
    store::Trial trial;
    trial.key = key;
    ids.push_back(store.addTrial(run, trial, {}).value());
  }
  ASSERT_TRUE(store.setOutcome(ids[1], model::Outcome::runFailed, "it crashed"));
  TrialLog log(store, run);
  ASSERT_TRUE(log.restore());
  ASSERT_TRUE(recordLosers(log, std::span(ids).first(2)));
  const auto trials = store.listTrials(run).value();
  EXPECT_EQ(trials[0].outcome, model::Outcome::ok);
  EXPECT_EQ(trials[0].message, kNotBest);
  EXPECT_EQ(trials[1].outcome, model::Outcome::runFailed);
  EXPECT_EQ(trials[1].message, "it crashed");
  EXPECT_EQ(trials[2].outcome, model::Outcome::ok);
}

}  // namespace
}  // namespace hone::engine
