#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cluster/shared_files.h"
#include "cluster/slurm_executor.h"
#include "engine/plan/plan_json.h"

namespace hone::cluster {
namespace {

class PlanOrderTest : public testing::Test {
 protected:
  [[nodiscard]] engine::Plan plan() const {
    const auto source = folder_.path() / "m.mlir";
    const auto spec = folder_.path() / "spec.mlir";
    EXPECT_TRUE(writeFile(source, "module {}"));
    EXPECT_TRUE(writeFile(spec, "a spec"));
    engine::Program program;
    program.source = source;
    program.hash = "hash";
    program.function = "main";
    program.inputTypes = {"tensor<4x4xf32>"};
    program.resultTypes = {"tensor<4x4xf32>"};
    engine::Plan plan;
    plan.scope = "scope";
    plan.programs = {program};
    plan.candidates = {{0, {"default", {}, {}}},
                       {0, {"tuned", {"--spec=" + spec.string()}, {{"d", "op", "n", "v"}}}}};
    plan.otherInputs = engine::Inputs{};
    plan.flags = {"--flag=value"};
    plan.seed = 7;
    plan.rounds = 11;
    plan.finalists = 2;
    plan.selects = false;
    plan.memory = iree::Memory::fresh;
    plan.onlyGains = true;
    return plan;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-plan-test").value();
  SharedFiles files_{folder_.path() / "files"};
};

TEST_F(PlanOrderTest, PlanRoundTripsWithFiles) {
  const engine::Plan before = plan();
  const auto json = engine::toJson(before, files_).value();
  std::filesystem::remove(before.programs[0].source);
  std::filesystem::remove(folder_.path() / "spec.mlir");
  const engine::Plan after = engine::planFrom(json, folder_.path() / "scratch").value();
  EXPECT_EQ(after.scope, before.scope);
  EXPECT_EQ(after.programs[0].label(), before.programs[0].label());
  EXPECT_EQ(readFile(after.programs[0].source).value(), "module {}");
  ASSERT_EQ(after.candidates.size(), 2u);
  EXPECT_EQ(after.candidates[1].config.attributes, before.candidates[1].config.attributes);
  const std::string& flag = after.candidates[1].config.flags.at(0);
  EXPECT_EQ(readFile(flag.substr(flag.find('=') + 1)).value(), "a spec");
  EXPECT_EQ(after.flags, before.flags);
  EXPECT_EQ(after.rounds, 11);
  EXPECT_FALSE(after.selects);
  EXPECT_EQ(after.memory, iree::Memory::fresh);
  EXPECT_TRUE(after.onlyGains);
  ASSERT_TRUE(after.otherInputs);
  EXPECT_EQ(after.inputs.tensors.size(), 1u);
  EXPECT_NE(after.inputs.arguments, after.otherInputs->arguments);
}

TEST_F(PlanOrderTest, KeyDependsOnWorkOnly) {
  const auto one = engine::toJson(plan(), files_).value();
  const auto same = engine::toJson(plan(), files_).value();
  engine::Plan other = plan();
  other.candidates[1].config.attributes[0].value = "w";
  EXPECT_EQ(unitKey("plan", one), unitKey("plan", same));
  EXPECT_NE(unitKey("plan", one), unitKey("plan", engine::toJson(other, files_).value()));
  EXPECT_NE(unitKey("plan", one), unitKey("dispatches", one));
}

TEST_F(PlanOrderTest, FindingsRoundTripWithRecords) {
  engine::Finding finding;
  finding.key = "k";
  finding.roundTimesNs = {1, 2.5};
  finding.comparison = stats::Comparison{stats::Verdict::improved, {1.1, 1.2, 1.3}, 0.01, 20};
  store::TrialRecord record;
  record.trial.key = "k";
  record.samples = {{model::Stage::final, 1, 2, 3, 4.5, 5.5, 6}};
  store::TrialRecord twin;
  twin.trial.key = "twin";
  twin.trial.details.twin = true;
  const auto after =
      engine::planResultFrom(engine::toJson(std::vector{finding}), {twin, record}).value();
  ASSERT_EQ(after.tried.size(), 1u);
  EXPECT_EQ(after.tried[0].record.samples, record.samples);
  EXPECT_EQ(after.tried[0].roundTimesNs, finding.roundTimesNs);
  EXPECT_EQ(after.tried[0].comparison->verdict, stats::Verdict::improved);
  EXPECT_EQ(after.tried[0].comparison->speedup.high, 1.3);
  EXPECT_TRUE(after.twin);
}

TEST_F(PlanOrderTest, RejectsFindingWithoutRecord) {
  engine::Finding finding;
  finding.key = "k";
  EXPECT_FALSE(engine::planResultFrom(engine::toJson(std::vector{finding}), {}));
}

}  // namespace
}  // namespace hone::cluster
