#include "knobs/gpu/gpu_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlain =
    "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [64, "
    "0]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = "
    "[256, 1, 1] subgroup_size = 64>>";
constexpr const char* kFull =
    "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [64, "
    "0]}>, translation_info = <pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [256, "
    "1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<"
    "prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false>}>>";

TEST(GpuOptions, KeepsTextWithoutChanges) {
  EXPECT_EQ(withOptions(kFull, {{"waves_per_eu", -1}, {"prefetch_stages", -1}, {"wg_0", 64}}),
            kFull);
  EXPECT_EQ(withOptions(kPlain, {}), kPlain);
}

TEST(GpuOptions, AddsOptionsToNewOrExistingDictionary) {
  const auto plain = withOptions(kPlain, {{"waves_per_eu", 2}, {"prefetch_stages", 3}}).value();
  EXPECT_THAT(plain, AllOf(HasSubstr("llvm_func_attrs = {\"amdgpu-waves-per-eu\" = \"2\"}"),
                           HasSubstr("#iree_gpu.pipeline_options<prefetch_num_stages = 3>"),
                           EndsWith("}>>")));
  const auto full = withOptions(kFull, {{"prefetch_stages", 0},
                                        {"no_bank_conflict_padding", 1},
                                        {"reorder_workgroups", 1}})
                        .value();
  EXPECT_THAT(full, AllOf(HasSubstr("prefetch_num_stages = 0"),
                          HasSubstr("no_reduce_shared_memory_bank_conflicts = true"),
                          HasSubstr("reorder_workgroups_strategy = <Transpose>"),
                          Not(HasSubstr("= false")), Not(HasSubstr("stages = 2"))));
  EXPECT_FALSE(withOptions("something else", {{"waves_per_eu", 2}}));
}

constexpr const char* kAttention =
    "#iree_codegen.compilation_info<lowering_config = "
    "#iree_gpu.lowering_config<{decomposition_config "
    "= {pv_attrs = {lowering_config = #iree_gpu.lowering_config<{promote_operands = [1], "
    "promotion_types = [#iree_gpu.derived_thread_config]}>}, qk_attrs = {lowering_config = "
    "#iree_gpu.lowering_config<{promote_operands = [0, 1], promotion_types = "
    "[#iree_gpu.derived_thread_config, #iree_gpu.derived_thread_config]}>}}, promote_operands = "
    "[0, "
    "1, 2], promotion_types = [#iree_gpu.a, #iree_gpu.b, #iree_gpu.c], reduction = [0, 0, 0, 0, "
    "64]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute>>>";

TEST(GpuOptions, RemovesUnpromotedOperandsWithTheirTypes) {
  const auto queries = withOptions(kAttention, {{"promote", 1}}).value();
  EXPECT_THAT(
      queries,
      AllOf(HasSubstr("<{promote_operands = [], promotion_types = []}>"),
            HasSubstr("<{promote_operands = [0], promotion_types = "
                      "[#iree_gpu.derived_thread_config]}>"),
            HasSubstr("promote_operands = [0], promotion_types = [#iree_gpu.a], reduction")));
  const auto others = withOptions(kAttention, {{"promote", 6}}).value();
  EXPECT_THAT(others, AllOf(HasSubstr("pv_attrs = {lowering_config = #iree_gpu.lowering_config<{"
                                      "promote_operands = [1], "),
                            HasSubstr("qk_attrs = {lowering_config = #iree_gpu.lowering_config<{"
                                      "promote_operands = [1], "),
                            HasSubstr("promote_operands = [1, 2], promotion_types = [#iree_gpu.b, "
                                      "#iree_gpu.c], reduction")));
  EXPECT_EQ(withOptions(kAttention, {{"promote", 7}}), kAttention);
}

TEST(GpuOptions, MultipliesSmallSpacesAndVariesLargeOnesSingly) {
  const auto options = gpuOptionKnobs(true, model::RootKind::other);
  const search::Space small({{"a", {1, 2}}}, {{1}, {2}});
  const OptionSpace all = withOptions(small, options);
  EXPECT_EQ(all.space.size(), 2u * 4 * 3 * 2 * 2);
  EXPECT_TRUE(all.complete);
  std::vector<std::vector<std::int64_t>> many;
  search::Knob knob{"a", {}};
  for (std::int64_t i = 0; i < 10'000; ++i) {
    many.push_back({i});
    knob.values.push_back(i);
  }
  const OptionSpace large = withOptions(search::Space({knob}, many), options);
  EXPECT_EQ(large.space.size(), 10'000u * (1 + 3 + 2 + 1 + 1));
  EXPECT_EQ(large.space.knobs().size(), 6u);
  EXPECT_FALSE(large.complete);
  EXPECT_EQ(gpuOptionKnobs(false, model::RootKind::other).size(), 4u);
}

}  // namespace
}  // namespace hone::knobs
