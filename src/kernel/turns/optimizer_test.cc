#include "kernel/turns/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "kernel/propose/test_loop.h"
#include "kernel/worker/sandbox/defences.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using test::failing;
using test::FakeKernelJudge;
using test::kernelOf;
using test::proposalOf;
using test::ScriptedProposer;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A store with a run; what it has outlives the optimizers that are tried on it.
class Fixture {
 public:
  Fixture() {
    store::Run run;
    run.key = "k";
    run.verb = "kernel";
    run_ = store_.addRun(run).value();
  }

  Result<Optimized> optimize(KernelJudge& kernelJudge, Proposer& proposer,
                             const OptimizeOptions& options, const std::string& scope = "",
                             const Examples* examples = nullptr,
                             const Source& original = kernelOf(1000),
                             Progress progress = Progress(true)) {
    progress.watch(std::make_unique<Watcher>(seen));
    Optimizer optimizer({kernelJudge, proposer, examples, progress},
                        {store_, run_, scope, iree::RankBy::cpu, 1}, options);
    return optimizer.optimize(original);
  }
  [[nodiscard]] std::vector<store::Trial> trials() const { return store_.trials(run_).value(); }
  [[nodiscard]] model::RunDetails details() const { return store_.run(run_).value()->details; }
  void setDetails(const model::RunDetails& details) {
    EXPECT_TRUE(store_.setDetails(run_, details));
  }

  std::vector<ProgressState> seen;  ///< at every step

 private:
  struct Watcher : ProgressWatcher {
    explicit Watcher(std::vector<ProgressState>& to) : states(to) {}
    void see(const ProgressState& state, bool /*newStage*/) override { states.push_back(state); }
    std::vector<ProgressState>& states;
  };

  ScratchFolder folder_ = ScratchFolder::create("hone-optimizer-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = 0;
};

OptimizeOptions patient() {
  OptimizeOptions options;
  options.targetSpeedup = 1000;
  return options;
}

/// Judges as if every kernel were for a GPU that is not here.
class RefereeWithoutGpu : public FakeKernelJudge {
 public:
  [[nodiscard]] Result<Judged> judge(const Source& source, std::uint64_t salt) override {
    Judged judged = HONE_TRY(FakeKernelJudge::judge(source, salt));
    judged.samples.clear();
    judged.facts.update({{"timed", false}, {"registers", 96}, {"spills", 8}});
    return judged;
  }
};

TEST(Optimizer, WhatCannotBeTimedIsAnalysedAllTheSame) {
  Fixture fixture;
  RefereeWithoutGpu kernelJudge;
  ScriptedProposer proposer({});
  testing::internal::CaptureStderr();
  const auto result = fixture.optimize(kernelJudge, proposer, patient(), "", nullptr,
                                       kernelOf(1000), Progress(false));
  const std::string said = testing::internal::GetCapturedStderr();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("there is none here to time it: nothing can be proven faster on this "
                        "machine (96 registers, 8 bytes spilled)"));
  EXPECT_THAT(said, HasSubstr("not timed; 96 registers, 8 bytes spilled\n"));
  EXPECT_THAT(said, HasSubstr("more values than registers"));
}

TEST(Optimizer, KeepsTheBestAndConfirmsIt) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer(
      {{proposalOf(kernelOf(800), "a"), proposalOf(failing(Outcome::mismatch), "b")},
       {proposalOf(kernelOf(400), "c"), proposalOf(kernelOf(600), "d")},
       {proposalOf(kernelOf(390), "e")},
       {proposalOf(kernelOf(385), "f")}});
  const auto result = fixture.optimize(kernelJudge, proposer, patient());
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
  EXPECT_EQ(proposer.bests[1], kernelOf(800).text);
  EXPECT_THAT(proposer.speedups[2], DoubleNear(2.5, 0.05));
}

TEST(Optimizer, TheProgressSaysTheTurnOfHowManyAndTheBestSoFar) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{proposalOf(kernelOf(495), "a")}, {proposalOf(kernelOf(247), "b")}});
  OptimizeOptions options = patient();
  options.maxTurns = 2;
  options.budget.time = std::chrono::hours(10);
  ASSERT_TRUE(fixture.optimize(kernelJudge, proposer, options));
  const auto at = [&](const std::string& stage) {
    const auto found = std::ranges::find(fixture.seen, stage, &ProgressState::stage);
    EXPECT_NE(found, fixture.seen.end()) << stage;
    return found == fixture.seen.end() ? ProgressState{} : *found;
  };
  EXPECT_EQ(at("turn 1 of 2, asking").best, "");
  EXPECT_GT(at("turn 1 of 2, asking").secondsLeft, 3600) << "what the budget leaves";
  EXPECT_THAT(at("turn 1 of 2, race").best, HasSubstr("(2.0"));
  EXPECT_THAT(at("turn 2 of 2, asking").best, HasSubstr("(2.0"));
  EXPECT_EQ(at("turn 2 of 2, judging").total, 1);
  EXPECT_THAT(at("confirming the winner").best, HasSubstr("(4.0"));
}

TEST(Optimizer, OneSmallGainIsNoPlateau) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{proposalOf(kernelOf(990))},
                             {proposalOf(kernelOf(500))},
                             {proposalOf(kernelOf(498))},
                             {proposalOf(kernelOf(250))}});
  const auto result = fixture.optimize(kernelJudge, proposer, patient());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best.source.text, kernelOf(250).text);
  EXPECT_EQ(result->stop, Stop::noIdeas);
}

TEST(Optimizer, StopsAtTheTargetOverPyTorch) {
  Fixture fixture;
  FakeKernelJudge kernelJudge(500);
  OptimizeOptions options;
  options.targetSpeedup = 1.5;
  ScriptedProposer proposer(
      {{proposalOf(kernelOf(600))}, {proposalOf(kernelOf(300))}, {proposalOf(kernelOf(100))}});
  const auto result = fixture.optimize(kernelJudge, proposer, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop, Stop::target) << result->why;
  EXPECT_THAT(result->turns, SizeIs(2)) << "600 ns is 0.83x, 300 ns is 1.67x";
  EXPECT_THAT(*result->originalOverPyTorch, DoubleNear(0.5, 0.02));
  ASSERT_TRUE(result->confirmed->pytorch);
  EXPECT_THAT(result->headline(), DoubleNear(500.0 / 300, 0.05));
  EXPECT_THAT(result->confirmed->original.speedup.estimate, DoubleNear(1000.0 / 300, 0.1));
}

TEST(Optimizer, WithoutPyTorchOnlyATargetThatWasGivenEndsIt) {
  for (const bool given : {false, true}) {
    Fixture fixture;
    FakeKernelJudge kernelJudge;
    OptimizeOptions options;
    options.targetSpeedup = 1.5;
    options.targetOverOriginal = given;
    ScriptedProposer proposer({{proposalOf(kernelOf(500))}, {proposalOf(kernelOf(250))}});
    const auto result = fixture.optimize(kernelJudge, proposer, options);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->stop, given ? Stop::target : Stop::noIdeas) << result->why;
    EXPECT_EQ(result->best.source.text, kernelOf(given ? 500 : 250).text);
  }
}

TEST(Optimizer, StopsAtTheEndOfTurnsAndOfTheBudget) {
  Fixture turns;
  FakeKernelJudge kernelJudge;
  std::vector<std::vector<Proposal>> script;
  for (int i = 1; i <= 9; ++i) {
    script.push_back({proposalOf(kernelOf(1000 * std::pow(0.8, i)))});
  }
  ScriptedProposer proposer(script);
  OptimizeOptions options = patient();
  options.maxTurns = 3;
  EXPECT_EQ(turns.optimize(kernelJudge, proposer, options)->stop, Stop::turns);
  Fixture budget;
  options.maxTurns = 9;
  options.budget.trials = 2;
  const auto limited = budget.optimize(kernelJudge, proposer, options);
  EXPECT_EQ(limited->stop, Stop::budget);
  EXPECT_EQ(limited->candidates, 2U);
  EXPECT_TRUE(limited->improved());
}

TEST(Optimizer, NothingQuickerIsNoError) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({{proposalOf(kernelOf(1200)), proposalOf(kernelOf(5000))}});
  const auto result = fixture.optimize(kernelJudge, proposer, patient());
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->improved());
  EXPECT_FALSE(result->confirmed);
  EXPECT_THAT(result->note, HasSubstr("no candidate was quicker"));
  EXPECT_EQ(result->tried[2].judged.outcome, Outcome::tooSlow);
}

/// One kernel is wrong in a late round of the confirmation.
class RefereeOfALateFault : public FakeKernelJudge {
 public:
  explicit RefereeOfALateFault(Source wrong) : wrong_(std::move(wrong)) {}

  [[nodiscard]] Result<Judged> measure(const Contestant& contestant, model::Stage stage,
                                       std::int64_t round, std::int64_t position) override {
    const bool late = stage == model::Stage::final && round == 7;
    if (late && contestant.source->key() == wrong_.key()) {
      Judged judged;
      judged.outcome = Outcome::mismatch;
      judged.message = "O[3] is 4, expected 5";
      return judged;
    }
    return FakeKernelJudge::measure(contestant, stage, round, position);
  }

 private:
  Source wrong_;
};

TEST(Optimizer, SaysWhoFailedInTheConfirmation) {
  const auto noteWhereWrong = [](const Source& wrong) {
    Fixture fixture;
    RefereeOfALateFault kernelJudge(wrong);
    ScriptedProposer proposer({{proposalOf(kernelOf(400))}});
    const auto result = fixture.optimize(kernelJudge, proposer, patient());
    EXPECT_TRUE(result && !result->improved() && !result->confirmed);
    return result ? result->note : "";
  };
  EXPECT_EQ(noteWhereWrong(kernelOf(400)),
            "the winner failed when it was to be confirmed (O[3] is 4, expected 5): nothing is "
            "kept");
  EXPECT_EQ(noteWhereWrong(kernelOf(1000)),
            "the winner could not be confirmed, for the original failed beside it (O[3] is 4, "
            "expected 5): nothing is kept");
}

TEST(Optimizer, ComplaintsCostTurnsNotTheRun) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({});
  proposer.complaints = "the server is down";
  const auto result = fixture.optimize(kernelJudge, proposer, patient());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop, Stop::plateau);
  EXPECT_THAT(result->why, HasSubstr("the server is down"));
  EXPECT_THAT(result->turns, SizeIs(2));
}

TEST(Optimizer, SaysWhyAProposerEnded) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer proposer({});
  proposer.end = "the spending cap of $1 is reached";
  EXPECT_EQ(fixture.optimize(kernelJudge, proposer, patient())->why, proposer.end);
}

TEST(Optimizer, JudgesNoSourceTwice) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  const Proposal same = proposalOf(kernelOf(700));
  ScriptedProposer proposer({{same, same, proposalOf(kernelOf(1000))}, {same}, {same}});
  ASSERT_TRUE(fixture.optimize(kernelJudge, proposer, patient()));
  for (const auto& [key, times] : kernelJudge.judgements) {
    EXPECT_EQ(times, 1);
  }
  EXPECT_THAT(kernelJudge.judgements, SizeIs(2));
  EXPECT_NE(kernelJudge.salts[0], kernelJudge.salts[1]);
}

TEST(Optimizer, AnOriginalThatFailsIsAUserError) {
  for (const auto& [outcome, says] : std::vector<std::pair<Outcome, std::string>>{
           {Outcome::mismatch, "scale is wrong from the start: line 3"},
           {Outcome::compileFailed, "scale does not compile"},
           {Outcome::invalid, "scale is refused"},
           {Outcome::runTimeout, "scale does not run"}}) {
    Fixture fixture;
    FakeKernelJudge kernelJudge;
    ScriptedProposer proposer({});
    const auto result =
        fixture.optimize(kernelJudge, proposer, patient(), "", nullptr, failing(outcome));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().fault, Fault::user);
    EXPECT_THAT(result.error().message, HasSubstr(says));
  }
}

TEST(Optimizer, KernelsOfOneRunDoNotMix) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer first({{proposalOf(kernelOf(500))}});
  ScriptedProposer second({{proposalOf(kernelOf(500))}});
  ASSERT_TRUE(fixture.optimize(kernelJudge, first, patient(), "a.cc"));
  const auto result = fixture.optimize(kernelJudge, second, patient(), "b.cc");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->improved());
  EXPECT_EQ(kernelJudge.judgements[kernelOf(500).key()], 2) << "each kernel has its own trials";
}

TEST(Optimizer, TheStoreHasEverything) {
  Fixture fixture;
  FakeKernelJudge kernelJudge(800);
  ScriptedProposer proposer({{proposalOf(kernelOf(500), "half")}});
  ASSERT_TRUE(fixture.optimize(kernelJudge, proposer, patient()));
  std::vector<std::string> names;
  for (const store::Trial& trial : fixture.trials()) {
    names.push_back(trial.config.name);
    if (trial.config.name == "half") {
      ASSERT_TRUE(trial.details.kernel);
      EXPECT_EQ(trial.details.kernel->source, kernelOf(500).text);
      EXPECT_EQ(trial.details.kernel->reasoning, "because");
      EXPECT_EQ(trial.details.turn, 1);
      EXPECT_EQ(nlohmann::json::parse(trial.details.facts)["worst_error"], 1e-7);
    }
  }
  EXPECT_THAT(names, ElementsAre("the original", "PyTorch", "half", "the original, again",
                                 "PyTorch, again"));
}

/// What must not depend on where a run was killed.
nlohmann::json essence(const Optimized& result) {
  nlohmann::json json = toJson(outcomeOf(result));
  json["conversation"] = result.conversation;
  return json;
}

std::vector<std::vector<Proposal>> eventfulScript() {
  return {{proposalOf(kernelOf(800), "a"), proposalOf(failing(Outcome::compileFailed), "b"),
           proposalOf(kernelOf(790), "c"), proposalOf(kernelOf(4000), "d")},
          {proposalOf(kernelOf(790), "e"), proposalOf(kernelOf(805), "f")},
          {proposalOf(kernelOf(350), "g")}};
}

/// Killed after any number of steps, any number of times, a run comes to the same end, and nothing
/// that was recorded is judged or measured again.
RC_GTEST_PROP(Optimizer, GoesOnWhereItWasKilled, ()) {
  static const nlohmann::json kWhole = [] {
    Fixture fixture;
    FakeKernelJudge kernelJudge(500);
    ScriptedProposer proposer(eventfulScript());
    return essence(fixture.optimize(kernelJudge, proposer, patient()).value());
  }();
  const auto kills = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 120));
  Fixture fixture;
  FakeKernelJudge kernelJudge(500);
  for (const int steps : kills) {
    ScriptedProposer proposer(eventfulScript());
    kernelJudge.fuse.left = steps;
    const auto result = fixture.optimize(kernelJudge, proposer, patient());
    if (result) {
      RC_ASSERT(essence(*result) == kWhole);
    }
  }
  kernelJudge.fuse.left = 1'000'000;
  ScriptedProposer proposer(eventfulScript());
  const auto result = fixture.optimize(kernelJudge, proposer, patient());
  RC_ASSERT(result.has_value());
  RC_ASSERT(essence(*result) == kWhole);
  for (const auto& [key, times] : kernelJudge.judgements) {
    RC_ASSERT(times == 1);
  }
}

TEST(Optimizer, AnInterruptedRunGoesOnWithWhatIsLeftOfItsTime) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  OptimizeOptions options = patient();
  options.budget.time = std::chrono::hours(10);
  ScriptedProposer first(eventfulScript());
  kernelJudge.fuse.left = 3;  // killed while the candidates of the first turn are judged
  ASSERT_FALSE(fixture.optimize(kernelJudge, first, options));
  model::RunDetails details = fixture.details();
  std::int64_t& used = details.kernels.at("").at(0).usedMs;
  EXPECT_GE(used, 0);
  used = 9 * 3600 * 1000;  // as if it had taken so long: more than the turns may have
  fixture.setDetails(details);
  kernelJudge.fuse.left = 1'000'000;
  ScriptedProposer second(eventfulScript());
  const auto result = fixture.optimize(kernelJudge, second, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->stop, Stop::budget);
  EXPECT_THAT(second.bests, SizeIs(0)) << "there is no time for another turn";
  EXPECT_GE(fixture.details().kernels.at("").at(0).usedMs, 9 * 3600 * 1000);
}

TEST(Optimizer, SaysWhichDefencesAreMissing) {
  EXPECT_EQ(warningOf({}), "");
  EXPECT_THAT(warningOf({"landlock", "seccomp"}), HasSubstr("without landlock and seccomp"));
}

/// A turn that was asked for is not asked for again: answers cost money.
TEST(Optimizer, AsksOnceATurn) {
  Fixture fixture;
  FakeKernelJudge kernelJudge;
  ScriptedProposer first(eventfulScript());
  kernelJudge.fuse.left = 3;  // killed while the candidates of the first turn are judged
  ASSERT_FALSE(fixture.optimize(kernelJudge, first, patient()));
  EXPECT_THAT(first.bests, SizeIs(1));
  kernelJudge.fuse.left = 1'000'000;
  ScriptedProposer second(eventfulScript());
  const auto result = fixture.optimize(kernelJudge, second, patient());
  ASSERT_TRUE(result);
  EXPECT_THAT(second.triedBefore, ElementsAre(4, 5, 6)) << "the second turn is its first";
  EXPECT_EQ(result->conversation, "turns 1 2 3 4");
}

}  // namespace
}  // namespace hone::kernel
