#include "iree/compile/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::iree {
namespace {

using model::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConstraintsTest : public ::testing::Test {
 protected:
  CompileRequest request(const std::string& target, const model::Problem& problem) {
    const std::string text = emitMlir(problem);
    const auto file = folder_.path() / "problem.mlir";
    EXPECT_TRUE(writeFile(file, text));
    return {file, hashBytes(text), targetFrom(target)->flags, {}};
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-constraints-test").value();
  Compiler compiler_{CompilePool::start({findInstallation("")->compilerLibrary(), 1, {}}).value(),
                     ArtifactCache(folder_.path() / "cache"),
                     Limits{std::chrono::seconds(60), std::uint64_t{8} << 30U}};
};

const model::Matmul kMatmul{
    .m = 256, .n = 512, .k = 128, .lhs = ElementType::f16, .rhs = ElementType::f16};

const Knob& knobAt(const PipelineConstraints& constraints, std::string_view place) {
  for (const Knob& knob : constraints.knobs) {
    if (knob.place == place) {
      return knob;
    }
  }
  ADD_FAILURE() << "no knob at " << place;
  return constraints.knobs.front();
}

TEST_F(ConstraintsTest, ListsKnobsOfEachPipeline) {
  const auto all = queryConstraints(compiler_, request("rocm:gfx942", kMatmul));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const PipelineConstraints& first = all->front();
  EXPECT_EQ(first.pipeline, "TileAndFuse");
  EXPECT_EQ((*all)[1].pipeline, "VectorDistribute");
  EXPECT_EQ(first.dispatch, "main_dispatch_0");
  EXPECT_EQ(knobAt(first, "workgroup[1]").name, "wg_1");
  EXPECT_THAT(knobAt(first, "workgroup[1]").options, IsEmpty());
  EXPECT_EQ(knobAt(first, "reduction[2]").name, "red_2");
  EXPECT_THAT(knobAt(first, "mma_kind").options,
              ElementsAre("#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>",
                          "#iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>"));
  EXPECT_EQ(knobAt(first, "gpu_pipeline_options.prefetch_num_stages").name, "prefetch_num_stages");
  EXPECT_EQ(knobAt((*all)[1], "subgroup_basis[0][1]").name, "sg_n_cnt");
  EXPECT_THAT(first.smtLib, HasSubstr("(declare-const wg_0 Int)"));
}

TEST_F(ConstraintsTest, AreEmptyIfTheCompilerHasNone) {
  EXPECT_THAT(queryConstraints(compiler_, request("local", kMatmul)).value(), IsEmpty());
  EXPECT_THAT(
      queryConstraints(compiler_, request("cuda:sm_80", model::Matmul{.m = 64, .n = 64, .k = 64}))
          .value(),
      IsEmpty());
}

TEST_F(ConstraintsTest, ConvertsAssignmentsToAttributes) {
  const CompileRequest asked = request("cuda:sm_80", kMatmul);
  const KnobAssignment assignment{0,
                                  {{"wg_0", 128},
                                   {"wg_1", 64},
                                   {"sg_0", 4},
                                   {"sg_1", 4},
                                   {"red_2", 2},
                                   {"mma_idx", 0},
                                   {"sg_size", 32},
                                   {"wg_size_x", 128},
                                   {"wg_size_y", 1},
                                   {"wg_size_z", 1},
                                   {"prefetch_num_stages", 2}}};
  const auto infos = compilationInfos(compiler_, asked, {&assignment, 1});
  ASSERT_TRUE(infos) << infos.error().message;
  ASSERT_EQ(infos->size(), 1u);
  EXPECT_THAT(infos->front(), HasSubstr("#iree_codegen.compilation_info<lowering_config = "));
  EXPECT_THAT(infos->front(), HasSubstr("reduction = [0, 0, 2], subgroup = [4, 4, 0], "
                                        "workgroup = [128, 64, 0]"));
  EXPECT_THAT(infos->front(), HasSubstr("workgroup_size = [128, 1, 1] subgroup_size = 32"));
  KnobAssignment missing = assignment;
  missing.values.erase("wg_1");
  const auto incomplete = compilationInfos(compiler_, asked, {&missing, 1});
  ASSERT_FALSE(incomplete);
  EXPECT_THAT(incomplete.error().message, HasSubstr("missing assignment for knob 'wg_1'"));
  KnobAssignment elsewhere = assignment;
  elsewhere.constraints = 7;
  EXPECT_FALSE(compilationInfos(compiler_, asked, {&elsewhere, 1}));
}

}  // namespace
}  // namespace hone::iree
