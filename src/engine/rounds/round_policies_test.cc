#include "engine/rounds/round_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"

namespace hone::engine {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Runs policies on participants with fixed times, one of which may fail in a round.
class RoundPoliciesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_.emplace(store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value());
    run_ = store_->addRun({}).value();
  }

  std::vector<Participant> participants(const std::vector<double>& times,
                                        std::optional<std::size_t> failing = {}) {
    std::vector<Participant> all;
    for (std::size_t i = 0; i < times.size(); ++i) {
      store::Trial trial;
      trial.key = std::to_string(i);
      trial.id = store_->addTrial(run_, trial, {}).value();
      all.push_back(
          {trial.id,
           [this, i, failing, time = times[i]](const TimeSlot& slot) -> Result<Measurement> {
             ++measured_[i];
             Measurement one;
             if (failing == i && slot.round == 2) {
               one.outcome = model::Outcome::runFailed;
               return one;
             }
             model::Sample sample;
             sample.stage = slot.stage;
             sample.round = slot.round;
             sample.position = slot.position;
             sample.cpuNs = sample.wallNs =
                 time * (1 + 0.001 * static_cast<double>(slot.round % 3));
             one.samples = {sample};
             return one;
           }});
    }
    return all;
  }

  void run(RoundPolicy& policy, const std::vector<Participant>& all,
           const RoundLoopOptions& options = {}) {
    TrialLog log(*store_, run_);
    ASSERT_TRUE(log.restore());
    Rounds rounds(iree::RankBy::cpu, log, model::Stage::final);
    const auto done = runRounds(rounds, all, policy, options);
    ASSERT_TRUE(done) << done.error().message;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-policies-test").value();
  std::optional<store::Store> store_;
  std::int64_t run_ = 0;
  std::map<std::size_t, int> measured_;
};

TEST_F(RoundPoliciesTest, FinalEndsWhenNoVerdictIsAmbiguous) {
  FinalPolicy policy(3, {.rounds = 8, .maxRounds = 24, .compare = {}});
  run(policy, participants({100, 100, 50}));
  EXPECT_THAT(policy.result()[2].timesNs, SizeIs(8));
  ASSERT_TRUE(policy.result()[2].comparison);
  EXPECT_EQ(policy.result()[2].comparison->verdict, stats::Verdict::improved);
}

TEST_F(RoundPoliciesTest, FailedParticipantHasNoComparison) {
  FinalPolicy policy(4, {.rounds = 8, .maxRounds = 24, .compare = {}});
  run(policy, participants({100, 100, 50, 60}, 2));
  EXPECT_THAT(policy.result()[2].timesNs, IsEmpty());
  EXPECT_FALSE(policy.result()[2].comparison);
  EXPECT_TRUE(policy.result()[3].comparison);
  EXPECT_EQ(measured_[2], 3) << "measured again after its failure";
  EXPECT_EQ(measured_[3], 8);
}

TEST_F(RoundPoliciesTest, FailedBaselineEndsFinal) {
  FinalPolicy policy(3, {.rounds = 8, .maxRounds = 24, .compare = {}});
  run(policy, participants({100, 100, 50}, 0));
  EXPECT_EQ(measured_[2], 3);
  EXPECT_FALSE(policy.result()[2].comparison);
}

TEST_F(RoundPoliciesTest, ContinuesInterruptedFinal) {
  const auto all = participants({100, 100, 50});
  FinalPolicy first(3, {.rounds = 8, .maxRounds = 24, .compare = {}});
  RoundLoopOptions cut;
  cut.outOfTime = [](std::int64_t rounds) { return rounds == 5; };
  run(first, all, cut);
  EXPECT_EQ(measured_[2], 5);
  FinalPolicy second(3, {.rounds = 8, .maxRounds = 24, .compare = {}});
  run(second, all);
  EXPECT_EQ(measured_[2], 8);
  EXPECT_THAT(second.result()[2].timesNs, SizeIs(8));
}

TEST_F(RoundPoliciesTest, PrecisionStopsEarlyAndDropsSlow) {
  PrecisionPolicy policy(
      3, {.minRounds = 3, .maxRounds = 20, .precision = 0.02, .dropFactor = 1.5, .seed = 1});
  run(policy, participants({100, 300, 110}));
  EXPECT_EQ(measured_[0], 3);
  EXPECT_EQ(measured_[1], 3);
}

TEST_F(RoundPoliciesTest, SingleRoundThatConfirmsScreeningIsEnough) {
  PrecisionPolicy policy(
      2, {.minRounds = 1, .maxRounds = 8, .precision = 0.03, .screenNs = {99, 110}});
  run(policy, participants({100, 110}));
  EXPECT_EQ(measured_[0], 1);
}

TEST_F(RoundPoliciesTest, MinimumMustBeConfirmed) {
  PrecisionPolicy policy(2,
                         {.minRounds = 1, .maxRounds = 8, .precision = 0.03, .screenNs = {99, 80}});
  run(policy, participants({100, 110}));
  EXPECT_EQ(measured_[1], 8) << "no round was as fast as the screening";
}

TEST_F(RoundPoliciesTest, PrecisionDropsByMinimum) {
  PrecisionPolicy policy(3, {.minRounds = 1, .maxRounds = 4, .dropFactor = 1.15, .screenNs = {}});
  ASSERT_THAT(policy.next(0), SizeIs(3));
  policy.add({100, 150, 200});
  EXPECT_THAT(policy.next(1), IsEmpty());  // one left, which is precise

  PrecisionPolicy screened(
      3, {.minRounds = 1, .maxRounds = 4, .dropFactor = 1.15, .screenNs = {100, 105, 200}});
  ASSERT_THAT(screened.next(0), SizeIs(3));
  screened.add({100, 150, 200});  // the second was disturbed
  EXPECT_THAT(screened.next(1), testing::UnorderedElementsAre(0, 1));
}

TEST_F(RoundPoliciesTest, RaceKeepsFastest) {
  stats::RaceOptions options;
  options.keep = 1;
  RacePolicy policy(4, options);
  run(policy, participants({100, 90, 50, 95}));
  ASSERT_FALSE(policy.race().ranking().empty());
  EXPECT_EQ(policy.race().ranking().front(), 2u);
  EXPECT_GT(measured_[2], measured_[1] - 1);
}

}  // namespace
}  // namespace hone::engine
