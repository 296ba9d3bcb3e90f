#include "iree/spec/upgrade/config_upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/spec/upgrade/loop_order.h"

namespace hone::iree {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The loops of a matmul.
const LoopInfo kMatmul{.count = 3, .reductions = {2}, .m = {0}, .n = {1}, .k1 = {}};

std::string info(const std::string& lowering, const std::string& translation) {
  return "#iree_codegen.compilation_info<lowering_config = " + lowering +
         ", translation_info = " + translation + ">";
}

TEST(ConfigUpgrade, KeepsCurrentSyntax) {
  const std::string text =
      info("#iree_gpu.lowering_config<{reduction = [0, 0, 4],   workgroup = [64, 64, 0]}>",
           "<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [256, 1, 1]>");
  const ConfigUpgrade upgraded = upgradeConfig(text, kMatmul);
  EXPECT_EQ(upgraded.text, text);
  EXPECT_THAT(upgraded.changes, IsEmpty());
}

TEST(ConfigUpgrade, RewritesPipelinesOfAllBackends) {
  const std::string lowering = "#iree_codegen.lowering_config<tile_sizes = [[8, 8]]>";
  for (const auto& [before, now] : std::vector<std::pair<std::string, std::string>>{
           {"<pipeline = SPIRVBaseVectorize workgroup_size = [8, 8, 1]>",
            "<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [8, 8, 1]>"},
           {"#iree_codegen.translation_info<LLVMGPUDistribute workgroup_size = [64, 1, 1]>",
            "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<Distribute> "
            "workgroup_size = [64, 1, 1]>"},
           {"<pipeline = TransformDialectCodegen codegen_spec = @x>",
            "<pipeline = #iree_codegen.transform_dialect_codegen codegen_spec = @x>"},
           {"<pipeline = None>", "<pipeline = #iree_codegen.no_pipeline>"}}) {
    const ConfigUpgrade upgraded = upgradeConfig(info(lowering, before), kMatmul);
    EXPECT_EQ(upgraded.text, info(lowering, now)) << upgraded.failure;
    EXPECT_THAT(upgraded.changes, Not(IsEmpty()));
  }
}

TEST(ConfigUpgrade, NamesPipelinesThatDoNotExistAnyMore) {
  const ConfigUpgrade upgraded =
      upgradeConfig(info("#iree_codegen.lowering_config<tile_sizes = [[1]]>",
                         "<pipeline = LLVMGPUWarpReduction workgroup_size = [64, 1, 1]>"),
                    kMatmul);
  EXPECT_EQ(upgraded.text, "");
  EXPECT_THAT(upgraded.failure, HasSubstr("no pipeline LLVMGPUWarpReduction"));
}

TEST(ConfigUpgrade, WritesSubgroupCountsAsBasis) {
  const std::string before = info(
      "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, "
      "subgroup_m_count = 2 : i64, subgroup_n_count = 4 : i64, workgroup = [32, 128, 0]}>",
      "<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 2, 1] subgroup_size = 64, "
      "{gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_shared_memory = true, "
      "reorder_workgroups_strategy = Transpose>}>");
  const ConfigUpgrade upgraded = upgradeConfig(before, kMatmul);
  EXPECT_THAT(upgraded.text,
              AllOf(HasSubstr("subgroup_basis = [[2, 4, 1], [0, 1, 2]]"),
                    Not(HasSubstr("subgroup_m_count")), HasSubstr("prefetch_num_stages = 2"),
                    HasSubstr("reorder_workgroups_strategy = <Transpose>")));
  EXPECT_THAT(upgradeConfig(before, {}).failure, HasSubstr("needs the loops"));
}

TEST(ConfigUpgrade, ReplacesPaddingPipelineIfTilesDivideTheLoops) {
  const std::string before = info(
      "#iree_codegen.lowering_config<tile_sizes = [[64, 160, 80]]>",
      "#iree_codegen.translation_info<LLVMGPUPadAndVectorDistribute workgroup_size = [320, 1, 1] "
      "subgroup_size = 64, {mma_schedule = #iree_gpu.mma_schedule<intrinsic = "
      "#iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>, subgroup_m_count = 1, subgroup_n_count = 5>}>");
  LoopInfo loops = kMatmul;
  loops.sizes = {2048, 1280, 1280};
  const ConfigUpgrade whole = upgradeConfig(before, loops);
  EXPECT_EQ(whole.failure, "");
  EXPECT_THAT(whole.text, AllOf(HasSubstr("#iree_gpu.pipeline<VectorDistribute>"),
                                HasSubstr("reduction = [0, 0, 80], workgroup = [64, 160, 0]")));
  loops.sizes = {2048, 1200, 1280};
  const ConfigUpgrade ragged = upgradeConfig(before, loops);
  EXPECT_THAT(ragged.failure,
              AllOf(HasSubstr("loop 1 to a multiple of 160"), HasSubstr("size is 1200")));
  EXPECT_FALSE(ragged.needsProgram);
  loops.sizes = {2048, 1280, -1};
  EXPECT_TRUE(upgradeConfig(before, loops).needsProgram);
}

TEST(ConfigUpgrade, DropsSubgroupCountsOfTileAndFuse) {
  const ConfigUpgrade upgraded = upgradeConfig(
      info("#iree_gpu.lowering_config<{subgroup = [1, 1, 0], subgroup_m_count = 1 : i64, "
           "subgroup_n_count = 1 : i64}>",
           "<pipeline = LLVMGPUTileAndFuse workgroup_size = [64, 1, 1]>"),
      {});
  EXPECT_THAT(upgraded.text, AllOf(HasSubstr("subgroup = [1, 1, 0]"), Not(HasSubstr("count")),
                                   Not(HasSubstr("basis"))));
}

TEST(ConfigUpgrade, SplitsTileSizesAndSchedule) {
  const ConfigUpgrade upgraded = upgradeConfig(
      info("#iree_codegen.lowering_config<tile_sizes = [[64, 128, 32]]>",
           "#iree_codegen.translation_info<LLVMGPUVectorDistribute workgroup_size = [128, 2, 1] "
           "subgroup_size = 64, {mma_schedule = #iree_gpu.mma_schedule<intrinsic = "
           "#iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>, subgroup_m_count = 2, subgroup_n_count = "
           "2>, reorder_workgroups = \"transpose\"}>"),
      kMatmul);
  EXPECT_EQ(upgraded.failure, "");
  EXPECT_THAT(upgraded.text,
              AllOf(HasSubstr("mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>"),
                    HasSubstr("workgroup = [64, 128, 0]"), HasSubstr("reduction = [0, 0, 32]"),
                    HasSubstr("subgroup_basis = [[2, 2, 1], [0, 1, 2]]"),
                    HasSubstr("promote_operands = [0, 1]"), Not(HasSubstr("mma_schedule")),
                    HasSubstr("reorder_workgroups_strategy = <Transpose>")));
}

TEST(ConfigUpgrade, NamesTilingLevelsOfTheCpu) {
  const ConfigUpgrade upgraded =
      upgradeConfig(info("<tile_sizes = [[64, 64, 0], [8, [16], 0], [0, 0, 16], [0, 0, 0]]>",
                         "<CPUDoubleTilingExpert>"),
                    kMatmul);
  EXPECT_EQ(upgraded.text,
            info("#iree_cpu.lowering_config<distribution = [64, 64, 0], vector_common_parallel = "
                 "[8, [16], 0], vector_reduction = [0, 0, 16]>",
                 "<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>"));
  const ConfigUpgrade five = upgradeConfig(
      info("<tile_sizes = [[1], [1], [1], [1], [1]]>", "<CPUDoubleTilingExpert>"), kMatmul);
  EXPECT_THAT(five.failure, HasSubstr("5 levels"));
}

TEST(ConfigUpgrade, MovesSizesIntoTranslationInfo) {
  const ConfigUpgrade upgraded = upgradeConfig(
      "#iree_codegen.compilation_info<lowering_config = <tile_sizes = [[8, 8]]>, translation_info "
      "= <SPIRVBaseVectorize>, workgroup_size = [8, 8, 1], subgroup_size = 32>",
      kMatmul);
  EXPECT_EQ(upgraded.text,
            info("#iree_codegen.lowering_config<tile_sizes = [[8, 8]]>",
                 "<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [8, 8, 1] "
                 "subgroup_size = 32>"));
}

TEST(ConfigUpgrade, ProjectsSubgroupsOfAttention) {
  const LoopInfo attention{.count = 6, .reductions = {4, 5}, .m = {2}, .n = {3}, .k1 = {4}};
  const std::string counts =
      "{lowering_config = #iree_gpu.lowering_config<{subgroup_m_count = 4, subgroup_n_count = 1}>}";
  const ConfigUpgrade upgraded =
      upgradeConfig("{qk_attrs = " + counts + ", pv_attrs = " + counts + "}", attention);
  EXPECT_THAT(upgraded.text,
              AllOf(HasSubstr("qk_attrs = {lowering_config = #iree_gpu.lowering_config<{"
                              "subgroup_basis = [[1, 1, 4, 1, 1, 1], [0, 1, 2, 4, 5]]}>}"),
                    HasSubstr("pv_attrs = {lowering_config = #iree_gpu.lowering_config<{"
                              "subgroup_basis = [[1, 1, 4, 1, 1, 1], [0, 1, 2, 3, 5]]}>}")));
}

TEST(ConfigUpgrade, ReordersValuesPerLoop) {
  const std::string text = info(
      "#iree_gpu.lowering_config<{promote_operands = [0, 1], reduction = [0, 0, 8], "
      "subgroup_basis = [[2, 4, 1], [0, 1, 2]], workgroup = [32, 128, 0]}>",
      "<pipeline = #iree_gpu.pipeline<VectorDistribute>>");
  EXPECT_EQ(reorderLoops(text, {0, 1, 2}).text, text);
  const ConfigUpgrade swapped = reorderLoops(text, {1, 0, 2});
  EXPECT_THAT(swapped.text,
              AllOf(HasSubstr("workgroup = [128, 32, 0]"), HasSubstr("reduction = [0, 0, 8]"),
                    HasSubstr("subgroup_basis = [[2, 4, 1], [1, 0, 2]]"),
                    HasSubstr("promote_operands = [0, 1]")));
  EXPECT_THAT(reorderLoops(text, {1, 0}).failure, HasSubstr("one value per loop"));
}

TEST(LoopInfo, ReadsSizesFromShapesOfOperands) {
  OperationForm form;
  form.maps = {"affine_map<(d0, d1, d2) -> (d0, d2)>", "affine_map<(d0, d1, d2) -> (d1 + d2, d1)>"};
  form.operands = {{.element = "f32", .ranked = true, .shape = {8, -1}},
                   {.element = "f32", .ranked = true, .shape = {30, 16}}};
  EXPECT_EQ(findLoops(form).sizes, (std::vector<std::int64_t>{8, 16, -1}));
}

TEST(LoopInfo, ReadsRolesFromMapsOfStructureMatcher) {
  OperationForm form;
  form.kind = "contraction";
  form.maps = {"affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>",
               "affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>",
               "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>"};
  const LoopInfo loops = findLoops(form);
  EXPECT_EQ(loops.count, 4u);
  EXPECT_EQ(loops.m, std::vector<std::int64_t>{1});
  EXPECT_EQ(loops.n, std::vector<std::int64_t>{2});
  EXPECT_EQ(loops.reductions, std::set<std::int64_t>{3});
  OperationForm swapped = form;
  std::swap(swapped.maps[0], swapped.maps[1]);
  EXPECT_EQ(correspondingLoops(form, swapped), (std::vector<std::int64_t>{0, 2, 1, 3}));
}

}  // namespace
}  // namespace hone::iree
