#include "kernel/turns/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernel/turns/output/outputs.h"
#include "kernel/turns/test_optimizer.h"
#include "kernel/worker/sandbox/defences.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using test::failingKernel;
using test::FakeKernelJudge;
using test::kernelTaking;
using test::makeProposal;
using test::OptimizerFixture;
using test::ScriptedProposer;
using test::unreachableTarget;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// Judges every kernel as a GPU kernel on a machine without a GPU.
class JudgeWithoutGpu : public FakeKernelJudge {
 public:
  [[nodiscard]] Result<JudgeResult> judge(const Source& source, std::uint64_t salt) override {
    JudgeResult judged = HONE_TRY(FakeKernelJudge::judge(source, salt));
    const double bytes = judged.samples.empty() ? 0 : 1e6 * judged.samples.front().cpuNs;
    judged.samples.clear();
    judged.facts.timed = false;
    judged.facts.gpu = {.registers = 96, .spills = 8};
    judged.facts.kernels = {
        {.arch = "sm_80",
         .numbers = {.registers = 96, .threads = 128, .blocks = 1024, .globalBytes = bytes}}};
    return judged;
  }
};

TEST(Optimizer, OrdersKernelsThatCannotBeTimedByEstimates) {
  OptimizerFixture fixture;
  JudgeWithoutGpu kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(900)), makeProposal(kernelTaking(300)),
                              makeProposal(failingKernel(Outcome::mismatch))}});
  testing::internal::CaptureStderr();
  const auto result =
      fixture.optimize(kernelJudge, proposer, unreachableTarget(), {.quiet = false});
  const std::string output = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(output, HasSubstr("no GPU was found to time it"));
  EXPECT_THAT(output, HasSubstr("not timed; 96 registers, 8 bytes spilled\n"));
  EXPECT_EQ(result->best.source.key(), kernelTaking(300).key());
  EXPECT_TRUE(result->isPromising());
  EXPECT_FALSE(result->improved());
  EXPECT_FALSE(result->confirmed);
  EXPECT_LT(result->estimatedCost(kernelTaking(300).key()).value(), 0.5);
  EXPECT_THAT(result->note, HasSubstr("not timed"));
  const Outputs outputs =
      planOutputs(*result, {"a/scale.cc", "a/scale.reference.cc", "scale", "a machine", "1.0"});
  EXPECT_EQ(outputs.kernel.name, "scale_not_timed.cc");
  EXPECT_THAT(outputs.kernel.text, AllOf(HasSubstr("NOT TIMED"), Not(HasSubstr("Optimized"))));
  EXPECT_THAT(outputs.history.text, HasSubstr("\"speedup\": null"));
}

TEST(Optimizer, WritesNothingIfNoUntimedKernelIsPromising) {
  OptimizerFixture fixture;
  JudgeWithoutGpu kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(2000))}});
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->isPromising());
  EXPECT_EQ(planOutputs(*result, {"a/scale.cc", "", "scale", "", "1.0"}).kernel.name, "");
  EXPECT_THAT(result->note, HasSubstr("nothing written"));
}

TEST(Optimizer, KeepsAndConfirmsBest) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer(
      {{makeProposal(kernelTaking(800), "a"), makeProposal(failingKernel(Outcome::mismatch), "b")},
       {makeProposal(kernelTaking(400), "c"), makeProposal(kernelTaking(600), "d")},
       {makeProposal(kernelTaking(390), "e")},
       {makeProposal(kernelTaking(385), "f")}});
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->improved());
  EXPECT_EQ(result->note, "");
  EXPECT_EQ(result->best.title, "f");
  EXPECT_THAT(result->confirmed->original.speedup.estimate, DoubleNear(1000.0 / 385, 0.05));
  EXPECT_GE(result->confirmed->original.rounds, 20U);
  EXPECT_EQ(result->stop, Stop::plateau) << result->why;
  EXPECT_THAT(result->why, HasSubstr("2 turns in a row gained less than 5 %"));
  EXPECT_THAT(result->turns, SizeIs(4));
  EXPECT_EQ(result->candidates, 6U);
  EXPECT_EQ(result->failed, 1U);
  EXPECT_THAT(proposer.triedBefore, ElementsAre(0, 2, 4, 5));
  EXPECT_EQ(proposer.bests[1], kernelTaking(800).text);
  EXPECT_THAT(proposer.speedups[2], DoubleNear(2.5, 0.05));
}

TEST(Optimizer, ReportsTurnAndBestAsProgress) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer(
      {{makeProposal(kernelTaking(495), "a")}, {makeProposal(kernelTaking(247), "b")}});
  OptimizeOptions options = unreachableTarget();
  options.maxTurns = 2;
  options.budget.time = std::chrono::hours(10);
  ASSERT_TRUE(fixture.optimize(kernelJudge, proposer, options));
  const auto at = [&](const std::string& stage) {
    const auto found = std::ranges::find(fixture.seen, stage, &ProgressState::stage);
    EXPECT_NE(found, fixture.seen.end()) << stage;
    return found == fixture.seen.end() ? ProgressState{} : *found;
  };
  EXPECT_EQ(at("turn 1 of 2, requesting candidates").best, "");
  EXPECT_GT(at("turn 1 of 2, requesting candidates").secondsLeft, 3600) << "the remaining budget";
  EXPECT_THAT(at("turn 1 of 2, race").best, HasSubstr("(2.0"));
  EXPECT_THAT(at("turn 2 of 2, requesting candidates").best, HasSubstr("(2.0"));
  EXPECT_EQ(at("turn 2 of 2, judging").total, 1);
  EXPECT_THAT(at("confirming the winner").best, HasSubstr("(4.0"));
}

TEST(Optimizer, ContinuesAfterOneSmallGain) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(990))},
                             {makeProposal(kernelTaking(500))},
                             {makeProposal(kernelTaking(498))},
                             {makeProposal(kernelTaking(250))}});
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best.source.text, kernelTaking(250).text);
  EXPECT_EQ(result->stop, Stop::noIdeas);
}

TEST(Optimizer, StopsAtTargetOverPyTorch) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge(500);
  OptimizeOptions options;
  options.targetSpeedup = 1.5;
  ScriptedProposer proposer({{makeProposal(kernelTaking(600))},
                             {makeProposal(kernelTaking(300))},
                             {makeProposal(kernelTaking(100))}});
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop, Stop::target) << result->why;
  EXPECT_THAT(result->turns, SizeIs(2)) << "600 ns is 0.83x, 300 ns is 1.67x";
  EXPECT_THAT(*result->originalOverPyTorch, DoubleNear(0.5, 0.02));
  ASSERT_TRUE(result->confirmed->pytorch);
  EXPECT_THAT(result->reportedSpeedup(), DoubleNear(500.0 / 300, 0.05));
  EXPECT_THAT(result->confirmed->original.speedup.estimate, DoubleNear(1000.0 / 300, 0.1));
}

TEST(Optimizer, StopsAtExplicitTargetWithoutPyTorch) {
  for (const bool given : {false, true}) {
    OptimizerFixture fixture;
    FakeKernelJudge kernelJudge;
    OptimizeOptions options;
    options.targetSpeedup = 1.5;
    options.targetOverOriginal = given;
    ScriptedProposer proposer(
        {{makeProposal(kernelTaking(500))}, {makeProposal(kernelTaking(250))}});
    const auto result = fixture.optimize(kernelJudge, proposer, options);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->stop, given ? Stop::target : Stop::noIdeas) << result->why;
    EXPECT_EQ(result->best.source.text, kernelTaking(given ? 500 : 250).text);
  }
}

TEST(Optimizer, StopsAfterMaxTurnsAndAtBudget) {
  OptimizerFixture turns;
  FakeKernelJudge kernelJudge;
  std::vector<std::vector<Proposal>> script;
  for (int i = 1; i <= 9; ++i) {
    script.push_back({makeProposal(kernelTaking(1000 * std::pow(0.8, i)))});
  }
  ScriptedProposer proposer(script);
  OptimizeOptions options = unreachableTarget();
  options.maxTurns = 3;
  EXPECT_EQ(turns.optimize(kernelJudge, proposer, options)->stop, Stop::turns);
  OptimizerFixture budget;
  options.maxTurns = 9;
  options.budget.trials = 2;
  const auto limited = budget.optimize(kernelJudge, proposer, options);
  EXPECT_EQ(limited->stop, Stop::budget);
  EXPECT_EQ(limited->candidates, 2U);
  EXPECT_TRUE(limited->improved());
}

TEST(Optimizer, SucceedsWithoutFasterCandidate) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(1200)), makeProposal(kernelTaking(5000))}});
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->improved());
  EXPECT_FALSE(result->confirmed);
  EXPECT_THAT(result->note, HasSubstr("no candidate was faster"));
  EXPECT_EQ(result->tried[2].judged.outcome, Outcome::tooSlow);
}

/// Reports a mismatch for one kernel in a late confirmation round.
class LateMismatchJudge : public FakeKernelJudge {
 public:
  explicit LateMismatchJudge(Source wrong) : wrong_(std::move(wrong)) {}

  [[nodiscard]] Result<JudgeResult> measure(const Implementation& implementation,
                                            model::Stage stage, std::int64_t round,
                                            std::int64_t position) override {
    const bool late = stage == model::Stage::final && round == 7;
    if (late && implementation.source->key() == wrong_.key()) {
      JudgeResult judged;
      judged.outcome = Outcome::mismatch;
      judged.message = "O[3] is 4, expected 5";
      return judged;
    }
    return FakeKernelJudge::measure(implementation, stage, round, position);
  }

 private:
  Source wrong_;
};

TEST(Optimizer, NamesKernelThatFailedInConfirmation) {
  const auto noteForWrong = [](const Source& wrong) {
    OptimizerFixture fixture;
    LateMismatchJudge kernelJudge(wrong);
    ScriptedProposer proposer({{makeProposal(kernelTaking(400))}});
    const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
    EXPECT_TRUE(result && !result->improved() && !result->confirmed);
    return result ? result->note : "";
  };
  EXPECT_EQ(
      noteForWrong(kernelTaking(400)),
      "the winner failed in the confirmation rounds (O[3] is 4, expected 5); nothing written");
  EXPECT_EQ(noteForWrong(kernelTaking(1000)),
            "the winner could not be confirmed: the original failed in the rounds (O[3] is 4, "
            "expected 5); nothing written");
}

TEST(Optimizer, DoesNotCountFailuresAsPlateau) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  const Proposal wrong = makeProposal(failingKernel(Outcome::mismatch), "wrong");
  ScriptedProposer proposer({{wrong}, {wrong}, {wrong}, {makeProposal(kernelTaking(500))}});
  OptimizeOptions options = unreachableTarget();
  options.maxTurns = 4;
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->improved()) << result->why;
  EXPECT_THAT(result->turns, SizeIs(4));
}

TEST(Optimizer, ReportsThatAllTurnsFailed) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({});
  proposer.complaints = "no code in the answer";
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop, Stop::failures);
  EXPECT_EQ(result->why,
            "none of the 5 turns had a correct candidate (last: no code in the answer)");
  EXPECT_THAT(result->turns, SizeIs(5));
}

TEST(Optimizer, RepairsFailedCandidates) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer(
      {{makeProposal(failingKernel(Outcome::mismatch), "wrong"),
        makeProposal(kernelTaking(900), "right"), makeProposal(kernelTaking(5000), "slow")}});
  proposer.repairs = {{makeProposal(failingKernel(Outcome::compileFailed), "again")},
                      {makeProposal(kernelTaking(400), "repaired")},
                      {makeProposal(kernelTaking(100), "too late")}};
  OptimizeOptions options = unreachableTarget();
  options.maxTurns = 1;
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best.title, "repaired");
  EXPECT_EQ(result->turns.at(0).repairs, 2U);
  EXPECT_THAT(result->turns.at(0).proposals, SizeIs(5));
  EXPECT_EQ(result->turns.at(0).proposals.back().attempt, 2U);
  ASSERT_THAT(proposer.errors, SizeIs(3));
  EXPECT_EQ(proposer.errors[0], "wrong: line 3: as requested");
  EXPECT_THAT(proposer.errors[1], HasSubstr("slow: 5.5"));
  EXPECT_THAT(proposer.errors[1], HasSubstr("x the time of the best kernel (5.0"));
  EXPECT_EQ(proposer.errors[2], "again: line 3: as requested");
}

TEST(Optimizer, RepairsNothingIfNotAllowed) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{makeProposal(failingKernel(Outcome::mismatch), "wrong")}});
  proposer.repairs = {{makeProposal(kernelTaking(400), "repaired")}};
  OptimizeOptions options = unreachableTarget();
  options.repairs = 0;
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->improved());
  EXPECT_THAT(proposer.errors, SizeIs(0));
}

TEST(Optimizer, FailsWithProposerBeforeFirstGain) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(2000))}});
  proposer.failAfter.stepsLeft = 1;
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "killed");
  ScriptedProposer second({{}, {makeProposal(kernelTaking(500))}});
  const auto resumed = fixture.optimize(kernelJudge, second, unreachableTarget());
  ASSERT_TRUE(resumed) << "the lost turn is requested again";
  EXPECT_THAT(resumed->turns.at(1).proposals, SizeIs(1));
}

TEST(Optimizer, ConfirmsBestAfterProposerFailed) {
  for (const std::size_t repairs : {0U, 1U}) {  // fails in the second turn, or in a repair
    OptimizerFixture fixture;
    FakeKernelJudge kernelJudge;
    ScriptedProposer proposer(
        {{makeProposal(kernelTaking(500), "half")}, {makeProposal(kernelTaking(400), "more")}});
    proposer.repairs = {{makeProposal(kernelTaking(100), "never")}};
    OptimizeOptions options = unreachableTarget();
    options.repairs = repairs;
    proposer.failAfter.stepsLeft = 1;
    const auto result = fixture.optimize(kernelJudge, proposer, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->improved());
    EXPECT_EQ(result->best.title, "half");
    EXPECT_EQ(result->stop, Stop::proposer);
    ASSERT_TRUE(result->failure);
    EXPECT_EQ(result->failure->fault, Fault::machine);
    EXPECT_EQ(result->why, "killed");
  }
}

TEST(Optimizer, ReportsWhyProposerEnded) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({});
  proposer.end = "spending cap of $1 reached";
  EXPECT_EQ(fixture.optimize(kernelJudge, proposer, unreachableTarget())->why, proposer.end);
}

TEST(Optimizer, JudgesEachSourceOnce) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  const Proposal same = makeProposal(kernelTaking(700));
  ScriptedProposer proposer({{same, same, makeProposal(kernelTaking(1000))}, {same}, {same}});
  ASSERT_TRUE(fixture.optimize(kernelJudge, proposer, unreachableTarget()));
  for (const auto& [key, times] : kernelJudge.judgements) {
    EXPECT_EQ(times, 1);
  }
  EXPECT_THAT(kernelJudge.judgements, SizeIs(2));
  EXPECT_NE(kernelJudge.salts[0], kernelJudge.salts[1]);
}

TEST(Optimizer, RejectsFailingOriginal) {
  for (const auto& [outcome, message] : std::vector<std::pair<Outcome, std::string>>{
           {Outcome::mismatch, "scale computes wrong results: line 3"},
           {Outcome::compileFailed, "scale does not compile"},
           {Outcome::invalid, "scale is rejected"},
           {Outcome::runTimeout, "scale does not run"}}) {
    OptimizerFixture fixture;
    FakeKernelJudge kernelJudge;
    ScriptedProposer proposer({});
    const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget(),
                                         {.original = failingKernel(outcome)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().fault, Fault::user);
    EXPECT_THAT(result.error().message, HasSubstr(message));
  }
}

TEST(Optimizer, SeparatesKernelsOfOneRun) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer first({{makeProposal(kernelTaking(500))}});
  ScriptedProposer second({{makeProposal(kernelTaking(500))}});
  ASSERT_TRUE(fixture.optimize(kernelJudge, first, unreachableTarget(), {.scope = "a.cc"}));
  const auto result = fixture.optimize(kernelJudge, second, unreachableTarget(), {.scope = "b.cc"});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->improved());
  EXPECT_EQ(kernelJudge.judgements[kernelTaking(500).key()], 2) << "each kernel has its own trials";
}

TEST(Optimizer, StoresAllTrials) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge(800);
  ScriptedProposer proposer({{makeProposal(kernelTaking(500), "half")}});
  ASSERT_TRUE(fixture.optimize(kernelJudge, proposer, unreachableTarget()));
  std::vector<std::string> names;
  for (const store::Trial& trial : fixture.trials()) {
    names.push_back(trial.config.name);
    if (trial.config.name == "half") {
      ASSERT_TRUE(trial.details.kernel);
      EXPECT_EQ(trial.details.kernel->source, kernelTaking(500).text);
      EXPECT_EQ(trial.details.kernel->reasoning, "because");
      EXPECT_EQ(trial.details.turn, 1);
      EXPECT_EQ(nlohmann::json::parse(trial.details.facts)["worst_error"], 1e-7);
    }
  }
  EXPECT_THAT(names, ElementsAre("the original", "PyTorch", "half", "the original, again",
                                 "PyTorch, again"));
}

TEST(FormatWarning, NamesMissingDefences) {
  EXPECT_EQ(formatWarning({}), "");
  EXPECT_THAT(formatWarning({"landlock", "seccomp"}), HasSubstr("lacks landlock and seccomp"));
}

}  // namespace
}  // namespace hone::kernel
