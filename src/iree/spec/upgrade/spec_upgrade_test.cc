#include "iree/spec/upgrade/spec_upgrade.h"

#include "iree/spec/test_specs.h"
#include "iree/spec/upgrade/operation_syntax.h"
#include "iree/spec/upgrade/spec_source.h"

namespace hone::iree {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Returns an entry with an example of a matmul, as the tuner of IREE wrote it until version 3.11.
std::string exampleEntry(const std::string& name, int m, int n, int k, const std::string& config) {
  return fmt::format(R"(
  transform.named_sequence @{name}(%arg0: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_param) {{
    %inputs, %outputs = transform.iree.match.cast_compatible_dag_from_root %arg0 {{
    ^bb0(%arg1: tensor<{m}x{k}xf16>, %arg2: tensor<{k}x{n}xf16>, %arg3: tensor<{m}x{n}xf32>):
      %1 = linalg.matmul ins(%arg1, %arg2 : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%arg3 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %0 = transform.param.constant {config} -> !transform.any_param
    transform.yield %arg0, %0 : !transform.any_op, !transform.any_param
  }})",
                     fmt::arg("name", name), fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k),
                     fmt::arg("config", config));
}

/// Returns a spec of these entries, without the attributes that mark entry points.
std::string oldSpec(const std::string& entries, const std::vector<std::string>& names) {
  std::string pairs;
  for (const std::string& name : names) {
    pairs += fmt::format("{}@{} -> @apply_op_config", pairs.empty() ? "" : ", ", name);
  }
  return fmt::format(R"(#layout = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @apply_op_config(%arg0: !transform.any_op {{transform.readonly}}, %arg1: !transform.any_param {{transform.readonly}}) {{
    transform.annotate %arg0 "compilation_info" = %arg1 : !transform.any_op, !transform.any_param
    // transform.print %arg0 {{name = "Applied"}} : !transform.any_op
    transform.print %arg0 {{name = "Applied"}} : !transform.any_op
    transform.yield
  }}{}
  transform.named_sequence @__kernel_config(%arg0: !transform.any_op {{transform.consumed}}) {{
    transform.foreach_match in %arg0 {} : (!transform.any_op) -> (!transform.any_op)
    transform.yield
  }}
}}
)",
                     entries, pairs);
}

std::string vectorDistribute() {
  return "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{mma_kind = "
         "#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, promote_operands = [0, 1], reduction = [0, "
         "0, 64], subgroup_m_count = 2 : i64, subgroup_n_count = 2 : i64, workgroup = [32, 128, "
         "0]}>, translation_info = <pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 2, "
         "1] subgroup_size = 64, {gpu_pipeline_options = "
         "#iree_gpu.pipeline_options<prefetch_shared_memory = true>}>>";
}

std::string halfMatmul(int m, int n, int k) {
  return fmt::format(
      R"(func.func @f(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{m}x{n}xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%fill : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %r : tensor<{m}x{n}xf32>
}})",
      fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k));
}

class SpecUpgradeTest : public SpecTest {
 protected:
  SpecUpgrade upgraded(const std::string& text, std::optional<CompileRequest> program = {}) {
    auto result = upgradeSpec(
        compiler_, file(text),
        {.folder = folder_.path(), .program = std::move(program), .fitConfig = nullptr});
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : SpecUpgrade{};
  }
};

TEST_F(SpecUpgradeTest, ReachesMatmulThatTheCompilerHasGeneralized) {
  const std::string old = oldSpec(exampleEntry("mm", 64, 256, 128, vectorDistribute()), {"mm"});
  const CompileRequest program = request(halfMatmul(64, 256, 128), "rocm:gfx942");
  const SpecUpgrade result = upgraded(old, program);
  ASSERT_THAT(result.entries, SizeIs(1));
  EXPECT_EQ(result.entries[0].failure, "");
  EXPECT_THAT(result.entries[0].changes,
              AllOf(Contains(HasSubstr("LLVMGPUVectorDistribute is")),
                    Contains(HasSubstr("subgroup_basis = [[2, 2, 1], [0, 1, 2]]")),
                    Contains(HasSubstr("matches linalg.generic in f_dispatch_0 now"))));
  ASSERT_TRUE(result.compiled);
  EXPECT_FALSE(result.compiled->compiled.module.empty())
      << result.compiled->compiled.report.message;
  EXPECT_TRUE(result.good());
  const auto spec = readSpec(compiler_, file(result.text));
  ASSERT_TRUE(spec) << spec.error().message;
  const auto check = checkSpec(compiler_, program, *spec);
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_THAT(check->entries[0].uses, SizeIs(1));
  EXPECT_TRUE(check->entries[0].uses[0].configured);
}

TEST_F(SpecUpgradeTest, UpgradesTileSizesWithoutProgram) {
  const std::string config =
      "#iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes = "
      "[[64, 64, 32]]>, translation_info = #iree_codegen.translation_info<LLVMGPUVectorDistribute "
      "workgroup_size = [128, 2, 1] subgroup_size = 64, {mma_schedule = "
      "#iree_gpu.mma_schedule<intrinsic = #layout, subgroup_m_count = 2, subgroup_n_count = 2>}>>";
  const SpecUpgrade result = upgraded(oldSpec(exampleEntry("mm", 64, 256, 128, config), {"mm"}));
  EXPECT_TRUE(result.good()) << (result.entries.empty() ? "" : result.entries[0].failure);
  EXPECT_THAT(result.text,
              AllOf(HasSubstr("MFMA_F32_16x16x16_F16"), HasSubstr("reduction = [0, 0, 32]"),
                    HasSubstr("iree_codegen.tuning_spec_entrypoint")));
  EXPECT_TRUE(readSpec(compiler_, file(result.text)));
}

TEST_F(SpecUpgradeTest, NamesEntriesThatCannotBeUpgraded) {
  const std::string gone =
      "#iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes = "
      "[[1]]>, translation_info = <pipeline = LLVMGPUWarpReduction>>";
  const std::string unknown =
      "  transform.named_sequence @odd(%arg0: !transform.any_op {transform.readonly}) -> "
      "(!transform.any_op, !transform.any_param) {\n"
      "    transform.iree.match.something_else %arg0 : !transform.any_op\n"
      "    %0 = transform.param.constant 1 : i64 -> !transform.any_param\n"
      "    transform.yield %arg0, %0 : !transform.any_op, !transform.any_param\n  }\n";
  const SpecUpgrade result =
      upgraded(oldSpec(exampleEntry("good", 64, 256, 128, vectorDistribute()) +
                           exampleEntry("gone", 8, 8, 8, gone) + "\n" + unknown,
                       {"gone", "odd", "good", "missing"}));
  ASSERT_THAT(result.entries, SizeIs(4));
  EXPECT_THAT(result.entries[0].failure, HasSubstr("no pipeline LLVMGPUWarpReduction"));
  EXPECT_THAT(result.entries[1].failure, HasSubstr("something_else"));
  EXPECT_EQ(result.entries[2].failure, "");
  EXPECT_THAT(result.entries[3].failure, HasSubstr("no sequence @missing"));
  EXPECT_FALSE(result.good());
  const auto spec = readSpec(compiler_, file(result.text));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(spec->entries, SizeIs(1));
}

TEST_F(SpecUpgradeTest, ReportsClosestOperationOfOtherSizes) {
  const SpecUpgrade result =
      upgraded(oldSpec(exampleEntry("mm", 64, 256, 512, vectorDistribute()), {"mm"}),
               request(halfMatmul(64, 256, 128), "rocm:gfx942"));
  EXPECT_FALSE(result.good());
  ASSERT_TRUE(result.compiled);
  const auto& near = result.compiled->check.entries.at(0).nearMiss;
  ASSERT_TRUE(near);
  EXPECT_FALSE(near->sameComputation);
  std::vector<std::string> lines;
  for (const FormDifference& one : near->differences) {
    lines.push_back(shown(one));
  }
  EXPECT_THAT(lines, Contains("k is 128 instead of 512"));
}

/// Returns an entry that matches a named operation by its name and the type of its first operand.
std::string nameEntry(const std::string& op, const std::string& type, const std::string& config) {
  return fmt::format(R"(
  transform.named_sequence @named(%arg0: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_param) {{
    transform.match.operation_name %arg0 ["{}"] : !transform.any_op
    %lhs = transform.get_operand %arg0[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %lhs = {} : !transform.any_value
    %0 = transform.param.constant {} -> !transform.any_param
    transform.yield %arg0, %0 : !transform.any_op, !transform.any_param
  }})",
                     op, type, config);
}

constexpr const char* kTransposedMatmul =
    R"(func.func @f(%a: tensor<128x256xf32>, %b: tensor<192x256xf32>) -> tensor<128x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x192xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x192xf32>) -> tensor<128x192xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<128x256xf32>, tensor<192x256xf32>) outs(%fill : tensor<128x192xf32>) -> tensor<128x192xf32>
  return %r : tensor<128x192xf32>
})";

TEST_F(SpecUpgradeTest, FindsSuccessorOfRemovedOperationName) {
  const std::string old =
      oldSpec(nameEntry("linalg.matmul_transpose_b", "tensor<128x256xf32>",
                        "#iree_codegen.compilation_info<lowering_config = <tile_sizes = [[64, 64, "
                        "0], [8, 32, 0], [0, 0, 16]]>, translation_info = "
                        "<CPUDoubleTilingExpert>>"),
              {"named"});
  const SpecUpgrade alone = upgraded(old);
  ASSERT_THAT(alone.entries, SizeIs(1));
  EXPECT_THAT(alone.entries[0].failure,
              AllOf(HasSubstr("linalg.matmul_transpose_b"), HasSubstr("give the program")));
  const SpecUpgrade fitted = upgraded(old, request(kTransposedMatmul));
  EXPECT_TRUE(fitted.good());
  EXPECT_THAT(fitted.entries.at(0).changes, Contains(HasSubstr("matches linalg.matmul in")));
  const SpecUpgrade other = upgraded(old, request(halfMatmul(64, 256, 128)));
  EXPECT_FALSE(other.good()) << "a product without transposition is another computation";
}

TEST_F(SpecUpgradeTest, NamesClosestOperationIfLoopsAreUnknown) {
  const std::string old =
      oldSpec(nameEntry("linalg.generic", "tensor<?x?x?xf16>", vectorDistribute()), {"named"});
  EXPECT_THAT(upgraded(old).entries.at(0).failure, HasSubstr("give the program"));
  EXPECT_THAT(upgraded(old, request(halfMatmul(64, 256, 128), "rocm:gfx942")).entries.at(0).failure,
              AllOf(HasSubstr("the closest operation is linalg.generic in f_dispatch_0"),
                    HasSubstr("tensor<64x128xf16> instead of tensor<?x?x?xf16>"),
                    Not(HasSubstr("give the program"))));
}

TEST_F(SpecUpgradeTest, KeepsCurrentSpecs) {
  const std::vector<SpecEntry> entries = {
      {"a", "Comment.",
       "transform.match.operation_name %op [\"linalg.matmul\"] : !transform.any_op",
       cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 1")}};
  const std::string text = specText(entries).value();
  const SpecUpgrade result = upgraded(text);
  EXPECT_TRUE(result.current);
  EXPECT_EQ(result.text, text);
}

TEST_F(SpecUpgradeTest, RejectsFilesThatAreNotSpecs) {
  for (const std::string text : {"nonsense", "transform.named_sequence @a(%x: t) {",
                                 "transform.named_sequence @a(%x: t) {}"}) {
    const auto result = upgradeSpec(
        compiler_, file(text), {.folder = folder_.path(), .program = {}, .fitConfig = nullptr});
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().fault, Fault::user);
    EXPECT_THAT(result.error().message, HasSubstr(".spec.mlir"));
  }
}

TEST(OldSyntax, IsFoundOnlyInSpecsOfOtherVersions) {
  EXPECT_THAT(findOldSyntax(oldSpec(exampleEntry("mm", 8, 8, 8, vectorDistribute()), {"mm"})),
              HasSubstr("LLVMGPUVectorDistribute"));
  const std::vector<SpecEntry> entries = {
      {"a", "", "transform.match.oparation_name %op [\"linalg.matmul\"] : !transform.any_op",
       cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 1")}};
  EXPECT_EQ(findOldSyntax(specText(entries).value()), "") << "a typo is no other version";
  EXPECT_EQ(findOldSyntax("nonsense"), "");
}

TEST(OperationSyntax, RewritesOperationsOfEarlierVersions) {
  const OperationUpgrade named =
      upgradeOperations("%1 = linalg.matmul_transpose_b ins(%a, %b : t)");
  EXPECT_THAT(named.text, HasSubstr("linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> "
                                    "(d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>"));
  EXPECT_EQ(upgradeOperations("%1 = iree_linalg_ext.attention {a = [1]} ins(%a)").text,
            "%1 = iree_linalg_ext.attention <{a = [1]}> ins(%a)");
  EXPECT_EQ(upgradeOperations("%0 = transform.get_parent_op %x {op_name = \"f\"} : (t) -> t").text,
            "%0 = \"transform.get_parent_op\"(%x) <{op_name = \"f\"}> : (t) -> t");
  const OperationUpgrade current = upgradeOperations("%1 = linalg.matmul ins(%a, %b : t)");
  EXPECT_THAT(current.changes, IsEmpty());
}

TEST(SpecSource, ReadsSequencesAliasesAndPairs) {
  const auto source = parseSpecSource(
      "#a = [1, 2]\n#b = {x = #a}\nmodule {\n"
      "  // One.\n  transform.named_sequence @\"m 1\"(%o: !transform.any_op {transform.readonly})\n"
      "    -> (!transform.any_op) {\n    %c = transform.param.constant #b -> !transform.any_param\n"
      "  }\n"
      "  transform.named_sequence @k(%m: t) -> !transform.op<\"x\"> attributes {y} {\n"
      "    %r = transform.foreach_match restrict_root in %m\n"
      "      @\"m 1\" -> @act, // @no -> @no\n      @two-> @act : (t) -> t\n  }\n}\n");
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_THAT(source->sequences, SizeIs(2));
  EXPECT_EQ(source->sequences[0].name, "m 1");
  ASSERT_THAT(constantsIn(source->sequences[0].text), SizeIs(1));
  EXPECT_EQ(constantsIn(source->sequences[0].text)[0].value, "{x = [1, 2]}");
  EXPECT_THAT(source->pairs, ElementsAre(SourcePair{"m 1", "act"}, SourcePair{"two", "act"}));
}

}  // namespace
}  // namespace hone::iree
