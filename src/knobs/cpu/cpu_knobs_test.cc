#include "knobs/cpu/cpu_knobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "knobs/cpu/cpu_config.h"
#include "knobs/test_roots.h"

namespace hone::knobs {
namespace {

using model::RootOperation;
using ::testing::HasSubstr;

constexpr std::string_view kCpuDefaultTiles =
    "#iree_cpu.lowering_config<distribution = [64, 64, 0], vector_common_parallel = [8, 32, 0], "
    "vector_reduction = [0, 0, 16]>";
constexpr std::string_view kCpuDefaultPipeline =
    "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, "
    "{enable_loop_peeling}>";

CpuLimits testCpu() {
  return {.vectorBytes = 64, .registers = 32, .l1Bytes = 48 << 10, .l2Bytes = 2 << 20, .cores = 1};
}

std::string cpuKnobsError(const RootOperation& root) {
  const auto model = cpuKnobs(root, testCpu());
  return model ? "" : model.error().message;
}

TEST(CpuKnobs, ExplainsMissingKnobs) {
  RootOperation root = matmulRoot(64, 64, 64);
  root.loops[1].size = -1;
  EXPECT_THAT(cpuKnobsError(root), HasSubstr("dynamic shape"));
  EXPECT_THAT(cpuKnobsError(matmulRoot(1, 1, 1)), HasSubstr("no loop to tile"));
  root.loops.clear();
  EXPECT_THAT(cpuKnobsError(root), HasSubstr("no loop to tile"));
  root = matmulRoot(8, 8, 8);
  root.kind = model::RootKind::other;
  EXPECT_THAT(cpuKnobsError(root), HasSubstr("no knobs"));
}

TEST(CpuKnobs, StartsWithCompilerDefault) {
  RootOperation root = matmulRoot(500, 300, 200);
  root.loweringConfig = kCpuDefaultTiles;
  root.translationInfo = kCpuDefaultPipeline;
  const auto model = cpuKnobs(root, testCpu()).value();
  ASSERT_FALSE(model.first.empty());
  const std::vector<std::size_t> own = {model.first.front()};
  EXPECT_EQ(model.compilationInfos(own).value().front(),
            fmt::format("#iree_codegen.compilation_info<lowering_config = {}, translation_info = "
                        "{}>",
                        kCpuDefaultTiles, kCpuDefaultPipeline));
}

TEST(CpuKnobs, OmitsInexpressibleDefault) {
  RootOperation root = matmulRoot(64, 64, 64);
  root.translationInfo = kCpuDefaultPipeline;
  root.loweringConfig =
      "#iree_cpu.lowering_config<distribution = [64, 64, 0], "
      "vector_common_parallel = [8, [16], 0]>";
  EXPECT_FALSE(cpuCompilerDefault(root));
  root.loweringConfig = kCpuDefaultTiles;
  EXPECT_TRUE(cpuCompilerDefault(root));
  root.translationInfo = "#iree_codegen.translation_info<pipeline = None>";
  EXPECT_FALSE(cpuCompilerDefault(root));
}

TEST(CpuKnobs, ConfigRoundTripsThroughTiling) {
  CpuConfig config(2);
  config.pipeline = CpuPipeline::linalgExt;
  config.peel = true;
  config.cacheReduction = {0, 7};
  config.vectorInner = {3, 0};
  EXPECT_EQ(compilationInfo(CpuConfig::from(config.tiling())), compilationInfo(config));
  EXPECT_EQ(CpuConfig::from(config.tiling()).tiling(), config.tiling());
}

TEST(CpuKnobs, EstimatePrefersLargeRegisterTiles) {
  const RootOperation root = matmulRoot(512, 512, 512);
  const auto model = cpuKnobs(root, testCpu()).value();
  const auto& knobs = model.space.knobs();
  const auto rows = std::find_if(knobs.begin(), knobs.end(), [](const search::Knob& knob) {
    return knob.name == "vector_common_parallel.d0";
  });
  ASSERT_NE(rows, knobs.end());
  for (const std::size_t point : model.first) {
    EXPECT_GE(model.space.point(point)[static_cast<std::size_t>(rows - knobs.begin())], 4);
  }
}

TEST(CpuKnobs, ShortLoopsYieldSmallSpace) {
  EXPECT_FALSE(cpuKnobs(matmulRoot(1, 7, 3), testCpu())->space.knobs().empty());
  EXPECT_GE(cpuKnobs(matmulRoot(7, 1, 4096), testCpu())->space.size(), 10U);
}

/// Generates edge-case sizes: one, primes, powers of two, huge.
rc::Gen<std::int64_t> hardSize() {
  return rc::gen::element<std::int64_t>(1, 2, 3, 7, 16, 35, 64, 97, 700, 1760, 8457, 500000);
}

rc::Gen<RootOperation> anyCpuRoot() {
  return rc::gen::mapcat(rc::gen::inRange(0, 6), [](int kind) {
    return rc::gen::apply(
        [kind](std::int64_t a, std::int64_t b, std::int64_t c, bool flag) {
          switch (kind) {
            case 0:
              return matmulRoot(a, b, c, flag, !flag);
            case 1:
              return batchMatmulRoot(3, a, b, c);
            case 2:
              return convRoot(flag, 2, a % 64 + 1, b % 64 + 3, c % 64 + 1, 3);
            case 3:
              return attentionRoot(2, a, b, c % 128 + 1);
            case 4:
              return elementwiseRoot(a, b, flag);
            default:
              return reductionRoot(a, b, flag);
          }
        },
        hardSize(), hardSize(), hardSize(), rc::gen::arbitrary<bool>());
  });
}

/// Checks that no tile is larger than its loop or the enclosing tile.
void checkTiles(const RootOperation& root, const std::string& compilationInfo) {
  RootOperation chosen = root;
  chosen.loweringConfig = chosen.translationInfo = compilationInfo;
  const auto config = cpuCompilerDefault(chosen);
  RC_ASSERT(config.has_value());
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    std::int64_t around = root.loops[loop].size;
    for (const Sizes* level :
         {&config->distribution, &config->cacheParallel, &config->cacheReduction,
          &config->vectorParallel, &config->vectorReduction}) {
      RC_ASSERT((*level)[loop] <= around);
      around = (*level)[loop] > 0 ? (*level)[loop] : around;
    }
    const Sizes& other =
        root.loops[loop].reduction ? config->distribution : config->vectorReduction;
    RC_ASSERT(other[loop] == 0);
  }
}

RC_GTEST_PROP(CpuKnobs, SpacesAreBoundedAndTilesNest, ()) {
  const RootOperation root = *anyCpuRoot();
  const auto model = cpuKnobs(root, testCpu());
  if (!model) {
    RC_ASSERT(model.error().message.find("no loop to tile") != std::string::npos);
    return;
  }
  RC_ASSERT(model->space.size() >= 1U);
  RC_ASSERT(model->space.size() <= 30'000U);
  const std::set<std::size_t> begin(model->first.begin(), model->first.end());
  RC_ASSERT(begin.size() == model->first.size());
  const std::size_t any = *rc::gen::inRange<std::size_t>(0, model->space.size());
  RC_ASSERT(model->guess(any) > 0);
  RC_ASSERT(model->space.find(model->space.point(any)) == any);
  const std::vector<std::size_t> one = {any};
  checkTiles(root, model->compilationInfos(one).value().front());
}

}  // namespace
}  // namespace hone::knobs
