#include "knobs/gpu/simt/simt_knobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "knobs/gpu/simt/simt_config.h"
#include "knobs/gpu/simt/simt_cost.h"
#include "knobs/gpu/simt/simt_tilings.h"
#include "knobs/test_roots.h"

namespace hone::knobs {
namespace {

using model::RootOperation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kReductionDefault =
    "#iree_gpu.lowering_config<{lane_basis = [[1, 64], [0, 1]], partial_reduction = [0, 1024], "
    "subgroup_basis = [[1, 4], [0, 1]], thread = [0, 4], workgroup = [1, 0]}>";
constexpr std::string_view kReductionPipeline =
    "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> "
    "workgroup_size = [256, 1, 1] subgroup_size = 64>";

RootOperation reductionWithDefault() {
  RootOperation root = reductionRoot(512, 2048);
  root.loweringConfig = kReductionDefault;
  root.translationInfo = kReductionPipeline;
  return root;
}

/// Returns a softmax: the sum is the root, the maximum and the quotient are companions.
RootOperation softmaxRoot() {
  RootOperation root = reductionWithDefault();
  const model::CompanionOperation maximum{.op = "linalg.generic#0",
                                          .loops = root.loops,
                                          .loweringConfig = std::string(kReductionDefault)};
  const model::CompanionOperation quotient{
      .op = "linalg.generic#2",
      .loops = {{512, false}, {2048, false}},
      .loweringConfig =
          "#iree_gpu.lowering_config<{lane_basis = [[1, 64], [0, 1]], serial = [0, "
          "1024], subgroup_basis = [[1, 4], [0, 1]], thread = [0, 4]}>"};
  root.companions = {maximum, quotient};
  return root;
}

std::string firstInfo(const KnobModel& model) {
  const std::vector<std::size_t> first = {model.first.front()};
  return model.compilationInfos(first).value().front();
}

TEST(SimtKnobs, ExplainsMissingKnobs) {
  const GpuLimits limits = gpuLimits("rocm:gfx942");
  const auto attention = simtKnobs(attentionRoot(2, 64, 64, 64), limits);
  ASSERT_FALSE(attention);
  EXPECT_THAT(attention.error().message, HasSubstr("no knobs for attention"));
  RootOperation dynamic = reductionRoot(64, 64);
  dynamic.loops[1].size = -1;
  ASSERT_FALSE(simtKnobs(dynamic, limits));
}

TEST(SimtKnobs, StartsWithCompilerDefaultOfReduction) {
  const auto model = simtKnobs(reductionWithDefault(), gpuLimits("rocm:gfx942")).value();
  const std::string info = firstInfo(model);
  EXPECT_THAT(info, HasSubstr("lane_basis = [[1, 64], [0, 1]], partial_reduction = [0, 1024]"));
  EXPECT_THAT(info, HasSubstr("subgroup_basis = [[1, 4], [0, 1]], thread = [0, 4], workgroup = "
                              "[1, 0]"));
  EXPECT_THAT(info,
              HasSubstr("<VectorDistribute> workgroup_size = [256, 1, 1] subgroup_size = 64"));
}

TEST(SimtKnobs, StartsWithCompilerDefaultOfMatmul) {
  RootOperation root = matmulRoot(512, 768, 1024);
  root.loweringConfig =
      "#iree_gpu.lowering_config<{reduction = [0, 0, 32], thread = [1, 16, 0], workgroup = [32, "
      "128, 1]}>";
  root.translationInfo =
      "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = "
      "[32, 8, 1] subgroup_size = 32>";
  const auto model = simtKnobs(root, gpuLimits("cuda:sm_80")).value();
  EXPECT_THAT(firstInfo(model),
              HasSubstr("{reduction = [0, 0, 32], thread = [1, 16, 0], workgroup = [32, 128, 0]}"));
  EXPECT_THAT(firstInfo(model), HasSubstr("workgroup_size = [256, 1, 1] subgroup_size = 32"));
}

TEST(SimtKnobs, ConfiguresCompanionsOfSharedReductions) {
  const RootOperation root = softmaxRoot();
  const auto model = simtKnobs(root, gpuLimits("rocm:gfx942")).value();
  ASSERT_TRUE(model.companionConfigs);
  const std::vector<std::size_t> first = {model.first.front()};
  const auto configs = model.companionConfigs(first).front();
  ASSERT_EQ(configs.size(), 2U);
  EXPECT_EQ(configs[0].op, "linalg.generic#0");
  EXPECT_THAT(configs[0].loweringConfig, HasSubstr("partial_reduction = [0, 1024]"));
  EXPECT_THAT(configs[0].loweringConfig, Not(HasSubstr("workgroup")));
  EXPECT_EQ(configs[1].op, "linalg.generic#2");
  EXPECT_THAT(configs[1].loweringConfig, HasSubstr("serial = [0, 1024]"));
  const SimtConfig fused(2);
  EXPECT_THAT(companionConfigs(root, fused), IsEmpty()) << "TileAndFuse configures only the root";
}

TEST(SimtKnobs, OmitsSharedReductionsIfACompanionCannotBeConfigured) {
  RootOperation root = softmaxRoot();
  const GpuLimits limits = gpuLimits("cuda:sm_80");
  EXPECT_THAT(vectorDistributeTilings(root, limits), Not(IsEmpty()));
  root.companions[1].op = "";
  EXPECT_THAT(vectorDistributeTilings(root, limits), IsEmpty());
  EXPECT_TRUE(simtKnobs(root, limits)) << "TileAndFuse remains";
}

TEST(SimtKnobs, KeepsRowsTogetherIfACompanionHasOtherLoops) {
  RootOperation root = softmaxRoot();
  root.companions[1].loops = {{4, false}, {128, false}, {2048, false}};
  root.companions[1].loweringConfig =
      "#iree_gpu.lowering_config<{lane_basis = [[1, 1, 64], [0, 1, 2]], serial = [0, 0, 1024], "
      "subgroup_basis = [[1, 1, 4], [0, 1, 2]], thread = [0, 0, 4]}>";
  for (const Tiling& tiling : vectorDistributeTilings(root, gpuLimits("rocm:gfx942"))) {
    const SimtConfig config = SimtConfig::from(tiling);
    ASSERT_EQ(config.lanes[0] * config.subgroups[0], 1);
    const auto companion = companionConfigs(root, config)[1].loweringConfig;
    ASSERT_THAT(companion, HasSubstr(fmt::format("serial = [0, 0, {}]", config.reduction[1])));
  }
}

TEST(SimtKnobs, OffersBothSubgroupSizesOfRdna) {
  const auto sizes = [](const char* target) {
    std::set<std::int64_t> found;
    for (const Tiling& tiling :
         vectorDistributeTilings(reductionRoot(512, 2048), gpuLimits(target))) {
      found.insert(SimtConfig::from(tiling).subgroupSize);
    }
    return found;
  };
  EXPECT_THAT(sizes("rocm:gfx1100"), ElementsAre(32, 64));
  EXPECT_THAT(sizes("rocm:gfx942"), ElementsAre(64));
  EXPECT_THAT(sizes("cuda:sm_80"), ElementsAre(32));
}

TEST(SimtKnobs, PrefersSharedReductionsOfRows) {
  const RootOperation root = reductionRoot(512, 2048);
  SimtConfig perThread(2);
  perThread.subgroupSize = 64;
  perThread.workgroup = {64, 0};
  perThread.thread = {1, 0};
  perThread.reduction = {0, 4};
  const auto shared = simtCompilerDefault(reductionWithDefault());
  ASSERT_TRUE(shared);
  EXPECT_LT(simtCost(root, *shared), simtCost(root, perThread))
      << "threads that each read one row do not coalesce their loads";
}

RC_GTEST_PROP(SimtKnobs, WorkgroupsAreBoundedAndTilesNest, ()) {
  const RootOperation root = *anyRoot();
  const GpuLimits limits = gpuLimits("rocm:gfx1100");
  auto tilings = tileAndFuseTilings(root, limits);
  const auto shared = vectorDistributeTilings(root, limits);
  tilings.insert(tilings.end(), shared.begin(), shared.end());
  RC_ASSERT(!tilings.empty());
  const SimtConfig config =
      SimtConfig::from(tilings[*rc::gen::inRange<std::size_t>(0, tilings.size())]);
  RC_ASSERT(config.threads() <= 1024);
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    RC_ASSERT(config.reduction[loop] <= root.loops[loop].size);
    RC_ASSERT(config.workgroup[loop] <= root.loops[loop].size);
    if (config.pipeline == SimtPipeline::tileAndFuse && config.thread[loop] > 0) {
      RC_ASSERT(config.workgroup[loop] % config.thread[loop] == 0);
    }
    if (config.pipeline == SimtPipeline::vectorDistribute && root.loops[loop].reduction) {
      RC_ASSERT(root.loops[loop].size % config.reduction[loop] == 0);
    }
  }
  RootOperation chosen = root;
  chosen.loweringConfig = chosen.translationInfo = compilationInfo(root, config);
  chosen.loweringConfig.resize(chosen.loweringConfig.find("translation_info"));
  const auto read = simtCompilerDefault(chosen);
  RC_ASSERT(read.has_value());
  RC_ASSERT(compilationInfo(root, *read) == compilationInfo(root, config));
}

}  // namespace
}  // namespace hone::knobs
