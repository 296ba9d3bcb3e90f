#include "knobs/gpu/gpu_default.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

model::RootOperation mfmaMatmul() {
  model::RootOperation root;
  root.loweringConfig =
      "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>, "
      "promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [4, 4, 0], subgroup_basis = "
      "[[2, 8, 1], [0, 1, 2]], workgroup = [64, 128, 0]}>";
  root.translationInfo =
      "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = "
      "[256, 1, 1] subgroup_size = 64, {gpu_pipeline_options = "
      "#iree_gpu.pipeline_options<prefetch_num_stages = 2>}>";
  return root;
}

TEST(GpuDefault, ReadsCompilerChoiceOfKnobs) {
  const iree::PipelineConstraints constraints{
      "main_dispatch_0",
      "TileAndFuse",
      {{"wg_0", "workgroup[0]", {}},
       {"wg_1", "workgroup[1]", {}},
       {"wg_7", "workgroup[7]", {}},
       {"red_2", "reduction[2]", {}},
       {"sg_0", "subgroup[0]", {}},
       {"sg_n_cnt", "subgroup_basis[0][1]", {}},
       {"sg_size", "subgroup_size", {}},
       {"wg_size_x", "workgroup_size[0]", {}},
       {"prefetch", "gpu_pipeline_options.prefetch_num_stages", {}},
       {"other", "waves", {}},
       {"mma_idx",
        "mma_kind",
        {"#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>",
         "#iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>"}}},
      ""};
  const auto chosen = chosenByCompiler(constraints, mfmaMatmul());
  ASSERT_TRUE(chosen);
  EXPECT_THAT(*chosen, UnorderedElementsAre(Pair("wg_0", 64), Pair("wg_1", 128), Pair("red_2", 2),
                                            Pair("sg_0", 4), Pair("sg_n_cnt", 8),
                                            Pair("sg_size", 64), Pair("wg_size_x", 256),
                                            Pair("prefetch", 2), Pair("mma_idx", 1)));
}

TEST(GpuDefault, IgnoresOtherPipelines) {
  const iree::PipelineConstraints constraints{
      "main_dispatch_0", "VectorDistribute", {{"wg_0", "workgroup[0]", {}}}, ""};
  EXPECT_FALSE(chosenByCompiler(constraints, mfmaMatmul()));
}

TEST(GpuDefault, IgnoresUnknownText) {
  model::RootOperation root = mfmaMatmul();
  const iree::PipelineConstraints constraints{"main_dispatch_0",
                                              "TileAndFuse",
                                              {{"wg_0", "workgroup[0]", {}},
                                               {"wg_9", "workgroup[0][1]", {}},
                                               {"mma_idx", "mma_kind", {"#other"}}},
                                              ""};
  for (const char* config : {"", "workgroup", "workgroup = ", "workgroup = []", "workgroup = [",
                             "my_workgroup = [1]", "workgroup = [[", "workgroup = 64"}) {
    root.loweringConfig = config;
    EXPECT_THAT(chosenByCompiler(constraints, root).value(), testing::IsEmpty()) << config;
  }
}

TEST(GpuDefault, NearestPointIsLegal) {
  const search::Space space(
      {{"pipeline", {0, 1}, false}, {"tile", {16, 64, 256}, true}, {"waves", {-1, 2}, true}},
      {{0, 64, -1}, {0, 64, 2}, {1, 64, -1}, {1, 16, -1}, {1, 256, -1}});
  const auto near = [&](std::int64_t pipeline, std::int64_t tile) {
    return space.point(nearestPoint(space, {{"pipeline", pipeline}, {"tile", tile}}).value());
  };
  EXPECT_THAT(near(0, 64), testing::ElementsAre(0, 64, -1));
  EXPECT_THAT(near(1, 20), testing::ElementsAre(1, 16, -1));
  EXPECT_THAT(near(1, 1000), testing::ElementsAre(1, 256, -1));
  EXPECT_FALSE(nearestPoint(search::Space({{"tile", {}, true}}, {}), {{"tile", 1}}));
}

}  // namespace
}  // namespace hone::knobs
