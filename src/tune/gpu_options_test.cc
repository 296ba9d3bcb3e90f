#include "tune/gpu_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::tune {
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

TEST(GpuOptions, AreLeftAloneWhereNoneIsChanged) {
  EXPECT_EQ(withOptions(kFull, {{"waves_per_eu", -1}, {"prefetch_stages", -1}, {"wg_0", 64}}),
            kFull);
  EXPECT_EQ(withOptions(kPlain, {}), kPlain);
}

TEST(GpuOptions, GoIntoADictionaryThatIsThereOrIsMade) {
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

TEST(GpuOptions, MultiplyASmallSpaceAndVaryALargeOneOneAtATime) {
  const auto options = gpuOptionKnobs(true);
  const search::Space small({{"a", {1, 2}}}, {{1}, {2}});
  EXPECT_EQ(withOptions(small, options).size(), 2u * 4 * 3 * 2 * 2);
  std::vector<std::vector<std::int64_t>> many;
  search::Knob knob{"a", {}};
  for (std::int64_t i = 0; i < 10'000; ++i) {
    many.push_back({i});
    knob.values.push_back(i);
  }
  const search::Space large = withOptions(search::Space({knob}, many), options);
  EXPECT_EQ(large.size(), 10'000u * (1 + 3 + 2 + 1 + 1));
  EXPECT_EQ(large.knobs().size(), 5u);
  EXPECT_EQ(gpuOptionKnobs(false).size(), 3u);
}

}  // namespace
}  // namespace hone::tune
