#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "kernel/turns/optimizer.h"
#include "kernel/turns/test_optimizer.h"

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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Advances a clock with every step.
class SlowJudge : public FakeKernelJudge {
 public:
  [[nodiscard]] Result<JudgeResult> judge(const Source& source, std::uint64_t salt) override {
    now += std::chrono::seconds(20);
    return FakeKernelJudge::judge(source, salt);
  }
  [[nodiscard]] Result<JudgeResult> measure(const Implementation& implementation,
                                            model::Stage stage, std::int64_t round,
                                            std::int64_t position) override {
    now += std::chrono::seconds(5);
    confirmations += stage == model::Stage::final ? 1 : 0;
    return FakeKernelJudge::measure(implementation, stage, round, position);
  }

  std::chrono::nanoseconds now{0};
  int confirmations = 0;
};

TEST(OptimizerBudget, ConfirmsWithinBudget) {
  for (const std::int64_t minutes : {3, 5, 8, 20}) {
    OptimizerFixture fixture;
    SlowJudge kernelJudge;
    std::vector<std::vector<Proposal>> script;
    constexpr int kTurns = 30;  // more than the budget allows
    for (int i = 1; i <= kTurns; ++i) {
      script.push_back({makeProposal(kernelTaking(1000 * std::pow(0.9, i)))});
    }
    ScriptedProposer proposer(script);
    OptimizeOptions options = unreachableTarget();
    options.maxTurns = kTurns;
    options.budget.time = std::chrono::minutes(minutes);
    options.now = [&] { return kernelJudge.now.count(); };
    const auto result = fixture.optimize(kernelJudge, proposer, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->stop, Stop::budget) << result->why;
    EXPECT_LE(kernelJudge.now, std::chrono::minutes(minutes)) << minutes;
    if (minutes > 3) {
      EXPECT_GE(kernelJudge.confirmations, 6 * 3) << minutes;
      EXPECT_TRUE(result->improved()) << result->note;
    }
  }
}

TEST(OptimizerBudget, ReportsThatNoCandidateWasTried) {
  OptimizerFixture fixture;
  SlowJudge kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(400))}});
  OptimizeOptions options = unreachableTarget();
  options.budget.time = std::chrono::seconds(1);
  options.now = [&] { return kernelJudge.now.count(); };
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->candidates, 0U);
  EXPECT_THAT(result->note, HasSubstr("before a candidate was tried; nothing written; raise"));
}

TEST(OptimizerBudget, ReportsThatBudgetWasTooShort) {
  OptimizerFixture fixture;
  SlowJudge kernelJudge;
  ScriptedProposer proposer({{makeProposal(kernelTaking(400))}});
  OptimizeOptions options = unreachableTarget();
  options.budget.time = std::chrono::seconds(60);
  options.now = [&] { return kernelJudge.now.count(); };
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->improved());
  EXPECT_LE(kernelJudge.now, std::chrono::seconds(60));
  EXPECT_THAT(result->note, HasSubstr("raise --budget"));
}

/// Returns the part of the result that must not depend on where a run was killed.
nlohmann::json comparableResult(const Optimized& result) {
  nlohmann::json json = toJson(toKernelOutcome(result));
  json["conversation"] = result.conversation;
  return json;
}

std::vector<std::vector<Proposal>> mixedScript() {
  return {{makeProposal(kernelTaking(800), "a"),
           makeProposal(failingKernel(Outcome::compileFailed), "b"),
           makeProposal(kernelTaking(790), "c"), makeProposal(kernelTaking(4000), "d")},
          {makeProposal(kernelTaking(790), "e"), makeProposal(kernelTaking(805), "f")},
          {makeProposal(kernelTaking(350), "g")}};
}

/// However often and wherever a run is killed, it ends with the same result, and nothing that was
/// recorded is judged or measured again.
RC_GTEST_PROP(OptimizerResume, RestoresKilledRun, ()) {
  static const nlohmann::json kUninterrupted = [] {
    OptimizerFixture fixture;
    FakeKernelJudge kernelJudge(500);
    ScriptedProposer proposer(mixedScript());
    return comparableResult(fixture.optimize(kernelJudge, proposer, unreachableTarget()).value());
  }();
  const auto kills = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 120));
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge(500);
  for (const int steps : kills) {
    ScriptedProposer proposer(mixedScript());
    kernelJudge.failAfter.stepsLeft = steps;
    const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
    if (result) {
      RC_ASSERT(comparableResult(*result) == kUninterrupted);
    }
  }
  kernelJudge.failAfter.stepsLeft = 1'000'000;
  ScriptedProposer proposer(mixedScript());
  const auto result = fixture.optimize(kernelJudge, proposer, unreachableTarget());
  RC_ASSERT(result.has_value());
  RC_ASSERT(comparableResult(*result) == kUninterrupted);
  for (const auto& [key, times] : kernelJudge.judgements) {
    RC_ASSERT(times == 1);
  }
}

TEST(OptimizerResume, KeepsRemainingBudget) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  OptimizeOptions options = unreachableTarget();
  options.budget.time = std::chrono::hours(10);
  ScriptedProposer first(mixedScript());
  kernelJudge.failAfter.stepsLeft = 3;  // killed while the candidates of the first turn are judged
  ASSERT_FALSE(fixture.optimize(kernelJudge, first, options));
  model::RunDetails details = fixture.details();
  std::int64_t& used = details.kernels.at("").at(0).usedMs;
  EXPECT_GE(used, 0);
  used = std::int64_t{9} * 3600 * 1000;  // more than the share of the turns
  fixture.setDetails(details);
  kernelJudge.failAfter.stepsLeft = 1'000'000;
  ScriptedProposer second(mixedScript());
  const auto result = fixture.optimize(kernelJudge, second, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->stop, Stop::budget);
  EXPECT_THAT(second.bests, SizeIs(0)) << "no time left for another turn";
  EXPECT_GE(fixture.details().kernels.at("").at(0).usedMs, 9 * 3600 * 1000);
}

/// A resumed run does not repeat a request, because answers cost money.
TEST(OptimizerResume, RequestsEachTurnOnce) {
  OptimizerFixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer first(mixedScript());
  kernelJudge.failAfter.stepsLeft = 3;  // killed while the candidates of the first turn are judged
  ASSERT_FALSE(fixture.optimize(kernelJudge, first, unreachableTarget()));
  EXPECT_THAT(first.bests, SizeIs(1));
  kernelJudge.failAfter.stepsLeft = 1'000'000;
  ScriptedProposer second(mixedScript());
  const auto result = fixture.optimize(kernelJudge, second, unreachableTarget());
  ASSERT_TRUE(result);
  EXPECT_THAT(second.triedBefore, ElementsAre(4, 5, 6)) << "it starts with the second turn";
  EXPECT_EQ(result->conversation, "turns 1 2 3 4");
}

/// A resumed run does not repeat repairs, either.
TEST(OptimizerResume, RequestsEachRepairOnce) {
  const auto script = [] {
    ScriptedProposer proposer({{makeProposal(failingKernel(Outcome::mismatch), "a")}});
    proposer.repairs = {{makeProposal(failingKernel(Outcome::runFailed), "b")},
                        {makeProposal(kernelTaking(500), "c")}};
    return proposer;
  };
  OptimizeOptions options = unreachableTarget();
  options.maxTurns = 1;
  for (int steps = 1; steps < 6; ++steps) {
    OptimizerFixture fixture;
    FakeKernelJudge kernelJudge;
    ScriptedProposer first = script();
    kernelJudge.failAfter.stepsLeft = steps;
    ASSERT_FALSE(fixture.optimize(kernelJudge, first, options));
    kernelJudge.failAfter.stepsLeft = 1'000'000;
    ScriptedProposer second = script();
    const auto result = fixture.optimize(kernelJudge, second, options);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->best.title, "c");
    EXPECT_EQ(first.bests.size() + second.bests.size(), 1U);
    EXPECT_EQ(first.errors.size() + second.errors.size(), 2U) << steps;
    EXPECT_EQ(kernelJudge.judgements.size(), 4U);
  }
}

}  // namespace
}  // namespace hone::kernel
