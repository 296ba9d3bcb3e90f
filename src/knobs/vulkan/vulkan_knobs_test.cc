#include "knobs/vulkan/vulkan_knobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "knobs/test_roots.h"
#include "knobs/vulkan/vulkan_config.h"

namespace hone::knobs {
namespace {

using model::RootOperation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kVulkanDefaultTiles =
    "#iree_codegen.lowering_config<tile_sizes = [[32, 128], [8, 4], [0, 0, 4]]>";
constexpr std::string_view kVulkanDefaultPipeline =
    "#iree_codegen.translation_info<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> "
    "workgroup_size = [32, 4, 1]>";

std::string vulkanKnobsError(const RootOperation& root) {
  const auto model = vulkanKnobs(root);
  return model ? "" : model.error().message;
}

TEST(VulkanKnobs, ExplainsMissingKnobs) {
  EXPECT_THAT(vulkanKnobsError(attentionRoot(2, 64, 64, 64)), HasSubstr("no knobs for attention"));
  RootOperation root = matmulRoot(64, 64, 64);
  root.outputs[0].element = "f16";
  EXPECT_THAT(vulkanKnobsError(root), HasSubstr("f16"));
  root.loops[0].size = -1;
  EXPECT_THAT(vulkanKnobsError(root), HasSubstr("dynamic shape"));
}

TEST(VulkanKnobs, StartsWithCompilerDefault) {
  RootOperation root = matmulRoot(512, 512, 512);
  root.loweringConfig = kVulkanDefaultTiles;
  root.translationInfo = kVulkanDefaultPipeline;
  const auto model = vulkanKnobs(root).value();
  ASSERT_FALSE(model.first.empty());
  const std::vector<std::size_t> own = {model.first.front()};
  EXPECT_EQ(model.compilationInfos(own).value().front(),
            fmt::format("#iree_codegen.compilation_info<lowering_config = {}, translation_info = "
                        "{}>",
                        kVulkanDefaultTiles, kVulkanDefaultPipeline));
  root.translationInfo =
      "#iree_codegen.translation_info<pipeline = "
      "#iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [64, 4, 1]>";
  EXPECT_FALSE(vulkanCompilerDefault(root));
}

TEST(VulkanKnobs, MapsInnermostLoopToX) {
  VulkanConfig config(7);
  config.workgroup = {0, 2, 8, 64, 0, 0, 0};
  config.thread = {1, 1, 4, 4, 0, 0, 0};
  EXPECT_THAT(workgroupSize(convRoot(false, 2, 8, 16, 64, 3), config), ElementsAre(16, 2, 2));
}

RC_GTEST_PROP(VulkanKnobs, WorkgroupsAreBoundedAndTilesNest, ()) {
  const RootOperation root = *anyRoot();
  const auto model = vulkanKnobs(root);
  if (!model) {
    RC_ASSERT(model.error().message.find("no loop to tile") != std::string::npos);
    return;
  }
  RC_ASSERT(model->space.size() >= 1U);
  RC_ASSERT(model->space.size() <= 30'000U);
  const std::vector<std::size_t> any = {*rc::gen::inRange<std::size_t>(0, model->space.size())};
  RootOperation chosen = root;
  chosen.loweringConfig = chosen.translationInfo = model->compilationInfos(any).value().front();
  chosen.loweringConfig.resize(chosen.loweringConfig.find("translation_info"));
  const auto config = vulkanCompilerDefault(chosen);
  RC_ASSERT(config.has_value());
  const Sizes threads = workgroupSize(root, *config);
  RC_ASSERT(threads[0] * threads[1] * threads[2] <= 256);
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::int64_t thread = std::max<std::int64_t>(1, config->thread[loop]);
    RC_ASSERT(config->workgroup[loop] % thread == 0);
    RC_ASSERT(config->workgroup[loop] <= root.loops[loop].size);
  }
}

}  // namespace
}  // namespace hone::knobs
