#include "engine/plan/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ranges>

#include "base/process/interrupt.h"
#include "engine/executor/local_executor.h"
#include "engine/rounds/rounds.h"
#include "engine/test_toolchain.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::engine {
namespace {

using model::Outcome;
using stats::Verdict;
using ::testing::HasSubstr;

model::Config tiles(const std::string& name, int rows, int columns, int reduction) {
  return {name,
          {},
          {{"", "", "compilation_info",
            fmt::format("#iree_codegen.compilation_info<lowering_config = "
                        "#iree_cpu.lowering_config<distribution = [64, 64, 0], "
                        "vector_common_parallel = [{}, {}, 0], vector_reduction = [0, 0, {}]>, "
                        "translation_info = #iree_codegen.translation_info<pipeline = "
                        "#iree_cpu.pipeline<DoubleTilingExpert>>>",
                        rows, columns, reduction)}}};
}

TEST(FindWinner, RequiresProofAndNoFailure) {
  const auto finding = [](Outcome outcome, Verdict verdict, double speedup) {
    Finding one;
    one.outcome = outcome;
    one.comparison.emplace();
    one.comparison->verdict = verdict;
    one.comparison->speedup.estimate = speedup;
    return one;
  };
  std::vector<Finding> findings = {Finding{}, finding(Outcome::runFailed, Verdict::improved, 3),
                                   finding(Outcome::runTimeout, Verdict::improved, 3),
                                   finding(Outcome::ok, Verdict::ambiguous, 2)};
  EXPECT_EQ(findWinner(findings), nullptr);
  findings.push_back(finding(Outcome::ok, Verdict::improved, 1.2));
  findings.push_back(finding(Outcome::ok, Verdict::improved, 1.1));
  EXPECT_EQ(findWinner(findings), &findings[4]);
}

class ExperimentTest : public ::testing::Test {
 protected:
  [[nodiscard]] Plan planFor(Program program) const {
    Plan plan;
    plan.inputs = makeInputs(program, {}, 1, toolchain_.folder.path()).value();
    plan.programs = {std::move(program)};
    plan.flags = toolchain_.flags;
    plan.rounds = 5;
    plan.candidates = {{0, {"baseline", {}, {}}}};
    return plan;
  }

  Plan matmulPlan() {
    return planFor(
        toolchain_.load(iree::emitMlir(model::Matmul{.m = 128, .n = 128, .k = 128})).value());
  }

  std::int64_t newRun() {
    store::Run run;
    run.key = "k";
    run.command = "test";
    return store_.addRun(run).value();
  }

  Result<std::vector<Finding>> execute(const Plan& plan, std::int64_t run) {
    return executeOn(toolchain_.runner, plan, run);
  }

  Result<std::vector<Finding>> executeOn(const iree::ModuleRunner& runner, const Plan& plan,
                                         std::int64_t run) {
    Progress progress(true);
    LocalExecutor executor(store_, run, progress);
    return Experiment({toolchain_.compiler, runner, store_, progress, run, executor}).run(plan);
  }

  TestToolchain toolchain_;
  store::Store store_ =
      store::Store::open(toolchain_.folder.path() / "s.db", store::Store::Mode::write).value();
};

TEST_F(ExperimentTest, RecordsOutcomeOfEveryCandidate) {
  Plan plan = matmulPlan();
  plan.candidates.push_back({0, tiles("good", 8, 16, 1)});
  plan.candidates.push_back({0, tiles("too large for the compiler", 128, 128, 128)});
  plan.candidates.push_back({0, {"no such flag", {"--nonsense"}, {}}});
  plan.candidates.push_back({0, tiles("good, again", 8, 16, 1)});
  const std::int64_t run = newRun();
  const auto findings = execute(plan, run).value();
  ASSERT_EQ(findings.size(), 5u);
  EXPECT_EQ(findings[0].expectation, Expectation::reference);
  EXPECT_EQ(findings[0].outcome, Outcome::ok);
  EXPECT_EQ(findings[0].roundTimesNs.size() % 5, 0u);
  EXPECT_EQ(findings[2].outcome, Outcome::compileFailed);
  EXPECT_THAT(findings[2].message, HasSubstr("large vector"));
  EXPECT_EQ(findings[3].outcome, Outcome::invalid);
  EXPECT_EQ(findings[4].sameAs, "good");
  EXPECT_EQ(findings[4].timeNs, 0);
  // All five trials, the twin and the samples are stored.
  EXPECT_EQ(store_.trials(run)->size(), 6u);
  EXPECT_FALSE(store_.samples(run)->empty());
}

TEST_F(ExperimentTest, RunsDispatchAsProgram) {
  const Program whole =
      toolchain_
          .load(iree::emitMlir(model::Matmul{
              .m = 128, .n = 128, .k = 128, .epilogue = {.activation = model::Activation::relu}}))
          .value();
  const auto dispatches =
      iree::dispatchPrograms(toolchain_.compiler, {whole.source, whole.hash, toolchain_.flags, {}},
                             toolchain_.folder.path())
          .value();
  ASSERT_EQ(dispatches.size(), 1u);
  ASSERT_EQ(dispatches[0].skipReason, "");
  const Program program =
      loadProgram(toolchain_.compiler, {.file = dispatches[0].source, .flags = toolchain_.flags})
          .value();
  EXPECT_EQ(program.from, dispatches[0].from);
  EXPECT_EQ(program.function, dispatches[0].function);
  EXPECT_EQ(program.inputTypes, whole.inputTypes);
  EXPECT_EQ(program.resultTypes, whole.resultTypes);
  Plan plan = planFor(program);
  plan.selects = false;  // a busy machine may make the good one look slow
  plan.candidates.push_back({0, tiles("good", 8, 16, 1)});
  plan.candidates.push_back({0, tiles("too large for the compiler", 128, 128, 128)});
  const auto findings = execute(plan, newRun()).value();
  EXPECT_EQ(findings[1].outcome, Outcome::ok);
  EXPECT_EQ(findings[1].expectation, Expectation::baseline);
  EXPECT_EQ(findings[2].outcome, Outcome::compileFailed);
  EXPECT_NE(findings[1].artifact, findings[0].artifact);
}

TEST_F(ExperimentTest, DoesNotRepeatRecordedWork) {
  Plan plan = matmulPlan();
  plan.candidates.push_back({0, tiles("a", 8, 16, 1)});
  plan.candidates.push_back({0, tiles("b", 4, 16, 1)});
  const std::int64_t run = newRun();
  const auto first = execute(plan, run).value();
  const auto trials = store_.trials(run).value();
  const auto samples = store_.samples(run).value();
  const auto second = execute(plan, run).value();
  EXPECT_EQ(store_.trials(run).value(), trials);
  // An ambiguous final is not extended twice: the rounds depend only on the records.
  EXPECT_EQ(store_.samples(run).value(), samples);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].roundTimesNs, second[i].roundTimesNs);
    EXPECT_EQ(first[i].outcome, second[i].outcome);
  }
}

/// A resumed run with a time budget may have more candidates than the process before.
TEST_F(ExperimentTest, MeasuresLateCandidates) {
  Plan plan = matmulPlan();
  plan.selects = false;
  plan.candidates.push_back({0, tiles("a", 8, 16, 1)});
  const std::int64_t run = newRun();
  ASSERT_TRUE(execute(plan, run));
  plan.candidates.push_back({0, tiles("b", 1, 1, 1)});
  const auto findings = execute(plan, run).value();
  ASSERT_TRUE(findings[1].comparison && findings[2].comparison);
  EXPECT_GE(findings[1].comparison->rounds, 5u);
  EXPECT_EQ(findings[2].comparison->verdict, Verdict::regressed);
}

TEST_F(ExperimentTest, SkipsFinalOfSlowCandidatesWithOnlyGains) {
  Plan plan = matmulPlan();
  plan.onlyGains = true;
  plan.candidates.push_back({0, tiles("slow", 1, 1, 1)});
  const std::int64_t run = newRun();
  const auto findings = execute(plan, run).value();
  EXPECT_FALSE(findings[1].comparison);
  EXPECT_GT(findings[0].timeNs, 0);
  const auto samples = store_.samples(run).value();
  for (const store::TrialSample& sample : samples) {
    EXPECT_EQ(sample.sample.stage, model::Stage::screen);
  }
}

TEST_F(ExperimentTest, ExplainsCandidatesOutsideFinal) {
  Plan plan = matmulPlan();
  plan.finalists = 1;
  for (const int rows : {1, 2, 4, 8}) {  // the faster ones come later
    plan.candidates.push_back({0, tiles(fmt::format("r{}", rows), rows, 16, 1)});
  }
  std::size_t outside = 0;
  for (const Finding& finding : execute(plan, newRun()).value() | std::views::drop(1)) {
    if (!finding.comparison) {
      ++outside;
      EXPECT_TRUE(finding.outcome == Outcome::tooSlow || finding.message == kNotBest)
          << finding.config.name << ": " << finding.message;
    }
  }
  EXPECT_GE(outside, 3u);
}

TEST_F(ExperimentTest, RespectsTrialBudget) {
  Plan plan = matmulPlan();
  for (int i = 0; i < 6; ++i) {
    plan.candidates.push_back({0, tiles(fmt::format("t{}", i), 2 + i, 16, 1)});
  }
  plan.budget.trials = 2;
  const std::int64_t run = newRun();
  EXPECT_EQ(execute(plan, run)->size(), 3u);
  EXPECT_EQ(store_.trials(run)->size(), 4u);  // baseline, twin, two candidates
}

TEST_F(ExperimentTest, DetectsMismatch) {
  Plan plan = matmulPlan();
  plan.selects = false;
  std::string wrong = iree::emitMlir(model::Matmul{.m = 128, .n = 128, .k = 128});
  wrong.replace(wrong.find("0.0"), 3, "1.0");
  plan.programs.push_back(toolchain_.load(wrong, "", "wrong.mlir").value());
  plan.candidates.push_back({1, {"wrong", {}, {}}});
  const auto findings = execute(plan, newRun()).value();
  EXPECT_EQ(findings[1].outcome, Outcome::mismatch);
  EXPECT_THAT(findings[1].message, HasSubstr("element ["));
  EXPECT_FALSE(findings[1].comparison);
}

TEST_F(ExperimentTest, FailsIfBaselineDoesNotCompile) {
  Plan plan = matmulPlan();
  plan.flags.emplace_back("--nonsense");
  const auto findings = execute(plan, newRun());
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().fault, Fault::user);
  EXPECT_THAT(findings.error().message, HasSubstr("does not compile"));
}

/// Failures due to a missing device say nothing about candidates and are not stored.
TEST_F(ExperimentTest, MissingDeviceIsMachineError) {
  const iree::ModuleRunner gone(toolchain_.installation, iree::deviceNamed("nowhere"),
                                Limits{std::chrono::seconds(30), 0});
  const std::int64_t run = newRun();
  const auto findings = executeOn(gone, matmulPlan(), run);
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().fault, Fault::machine);
  EXPECT_THAT(findings.error().message, HasSubstr("nowhere is lost"));
  EXPECT_TRUE(store_.trials(run)->empty());
}

/// A slow config is significantly slower; the same program is not significantly faster.
TEST_F(ExperimentTest, DistinguishesSlowerFromSame) {
  Plan plan =
      planFor(toolchain_.load(iree::emitMlir(model::Matmul{.m = 128, .n = 128, .k = 256})).value());
  plan.selects = false;
  plan.rounds = 10;
  plan.candidates.push_back({0, tiles("slow", 1, 1, 1)});
  plan.candidates.push_back({0, {"itself", {}, {}}});
  const auto findings = execute(plan, newRun()).value();
  ASSERT_TRUE(findings[1].comparison && findings[2].comparison);
  EXPECT_EQ(findings[1].comparison->verdict, Verdict::regressed);
  EXPECT_NE(findings[2].comparison->verdict, Verdict::improved);
  EXPECT_EQ(findings[2].artifact, findings[0].artifact);
}

}  // namespace
}  // namespace hone::engine
