#include "iree/spec/spec_check.h"

#include "base/process/subprocess.h"
#include "iree/mlir/problem_mlir.h"
#include "iree/run/device.h"
#include "iree/spec/test_specs.h"

namespace hone::iree {
namespace {

using model::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A program with one root dispatch, a configuration for it, and the expected matcher.
struct Case {
  std::string name;
  std::string program;
  std::string info;
  std::string kind;
  std::string shown;
  bool exact = true;
  std::string target = "local";
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class SpecCaseTest : public SpecTest, public ::testing::WithParamInterface<Case> {};

TEST_P(SpecCaseTest, ConfiguresTheMatchedRoot) {
  const Case& one = GetParam();
  const CompileRequest program = request(one.program, one.target);
  const DispatchMatcher matcher = matcherIn(program);
  EXPECT_EQ(matcher.failureReason, "");
  EXPECT_EQ(matcher.matched.kind, one.kind);
  EXPECT_EQ(shown(matcher.matched), one.shown);
  EXPECT_EQ(matcher.exact, one.exact);
  const Spec spec = makeSpec({{one.name, "", matcher.matcher, one.info}});
  ASSERT_THAT(spec.entries, SizeIs(1));
  EXPECT_EQ(spec.entries[0].matched.sizes, matcher.matched.sizes) << "written and read back";
  const auto check = checkSpec(compiler_, program, spec);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_EQ(check->refused, "");
  EXPECT_TRUE(check->good());
  ASSERT_THAT(check->entries[0].uses, SizeIs(1));
  const SpecUse& use = check->entries[0].uses[0];
  EXPECT_EQ(use.dispatch, matcher.dispatch);
  EXPECT_TRUE(use.configured);
  EXPECT_TRUE(use.onRoot);
  EXPECT_FALSE(use.asDefault);
}

std::string transposedMatmul() {
  return R"(func.func @f(%a: tensor<128x256xf32>, %b: tensor<192x256xf32>) -> tensor<128x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x192xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x192xf32>) -> tensor<128x192xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<128x256xf32>, tensor<192x256xf32>) outs(%fill : tensor<128x192xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<128x192xf32>
  return %r : tensor<128x192xf32>
})";
}

std::string rowSum() {
  return R"(func.func @f(%a: tensor<128x256xf32>) -> tensor<128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<128x256xf32>) outs(%fill : tensor<128xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  return %r : tensor<128xf32>
})";
}

/// Returns a program with a linalg.generic whose body is `step` on %x; %half is captured.
std::string elementwise(const std::string& step) {
  return fmt::format(R"(func.func @f(%a: tensor<128x256xf32>) -> tensor<128x256xf32> {{
  %half = arith.constant 0.5 : f32
  %empty = tensor.empty() : tensor<128x256xf32>
  %r = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%a : tensor<128x256xf32>) outs(%empty : tensor<128x256xf32>) {{
  ^bb0(%x: f32, %o: f32):
    %s = {}
    linalg.yield %s : f32
  }} -> tensor<128x256xf32>
  return %r : tensor<128x256xf32>
}})",
                     step);
}

std::string vulkanInfo() {
  return "#iree_codegen.compilation_info<lowering_config = "
         "#iree_codegen.lowering_config<tile_sizes "
         "= [[32, 32], [4, 4], [0, 0, 4]]>, translation_info = <pipeline = "
         "#iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [8, 8, 1]>>";
}

std::string gpuInfo(const std::string& mma, int subgroup) {
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{{mma_kind = "
      "#iree_gpu.mma_layout<{}>, promote_operands = [0, 1], reduction = [0, 0, 4], subgroup = [2, "
      "2, 0], workgroup = [64, 64, 0]}}>, translation_info = <pipeline = "
      "#iree_gpu.pipeline<TileAndFuse> workgroup_size = [{}, 1, 1] subgroup_size = {}>>",
      mma, 4 * subgroup, subgroup);
}

const model::Matmul kHalf{
    .m = 256, .n = 512, .k = 128, .lhs = ElementType::f16, .rhs = ElementType::f16};

std::vector<Case> cases() {
  return {
      {"matmul", emitMlir(model::Matmul{.m = 128, .n = 192, .k = 256}),
       cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 2"), "contraction",
       "contraction m=128 n=192 k=256, f32 f32 f32"},
      {"batch_matmul", emitMlir(model::Matmul{.batch = 4, .m = 64, .n = 96, .k = 128}),
       cpuInfo("1, 32, 32, 0", "1, 8, 16, 0", "0, 0, 0, 2"), "contraction",
       "contraction batch=4 m=64 n=96 k=128, f32 f32 f32"},
      {"transposed", transposedMatmul(), cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 2"), "contraction",
       "contraction m=128 n=192 k=256, f32 f32 f32"},
      {"fused", matmulFunction("f", 128, 192, 256, biasRelu(128, 192)),
       cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 2"), "contraction",
       "contraction m=128 n=192 k=256, f32 f32 f32"},
      {"conv_nhwc",
       emitMlir(model::Conv{.n = 2, .c = 16, .h = 18, .w = 18, .k = 32, .y = 3, .x = 3}),
       cpuInfo("1, 8, 16, 32, 0, 0, 0", "1, 1, 4, 8, 0, 0, 0", "0, 0, 0, 0, 1, 1, 8"),
       "convolution",
       "convolution batch=2 output_image=16x16 output_channel=32 filter=3x3 input_channel=16, f32 "
       "f32 f32"},
      {"attention", emitMlir(model::Attention{.batch = 4, .queries = 64, .keys = 96, .depth = 32}),
       "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = "
       "[1, 16, 0, 0, 0], vector_common_parallel = [1, 4, 32, 0, 0], vector_reduction = [0, 0, 0, "
       "0, 8]>, translation_info = <pipeline = #iree_cpu.pipeline<LinalgExtTileAndVectorize>>>",
       "attention", "attention batch=4 m=64 n=32 k1=32 k2=96, f32 f32 f32 f32 f32 f32 f32"},
      {"reduction", rowSum(), cpuInfo("32, 0", "4, 0", "0, 8"), "dag",
       "linalg.generic, tensor<128x256xf32> tensor<128xf32>"},
      {"elementwise", elementwise("arith.mulf %x, %x : f32"), cpuInfo("2048", "8", "0"), "dag",
       "linalg.generic, tensor<32768xf32> tensor<32768xf32>"},
      {"captured", elementwise("arith.mulf %x, %half : f32"), cpuInfo("2048", "8", "0"), "other",
       "linalg.generic, tensor<32768xf32> tensor<32768xf32>", false},
      {"vulkan", emitMlir(model::Matmul{.m = 128, .n = 192, .k = 256}), vulkanInfo(), "contraction",
       "contraction m=128 n=192 k=256, f32 f32 f32", true, "vulkan"},
      {"gfx942", emitMlir(kHalf), gpuInfo("MFMA_F32_16x16x16_F16", 64), "contraction",
       "contraction m=256 n=512 k=128, f16 f16 f32", true, "rocm:gfx942"},
      {"sm_80", emitMlir(kHalf), gpuInfo("NV_MMA_SYNC_F32_16x8x16_F16", 32), "contraction",
       "contraction m=256 n=512 k=128, f16 f16 f32", true, "cuda:sm_80"},
  };
}

INSTANTIATE_TEST_SUITE_P(Operations, SpecCaseTest, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

using SpecCheckTest = SpecTest;

const std::string kMatmulInfo = cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 2");

TEST_F(SpecCheckTest, AppliesEntryToOneOfTwoDispatches) {
  const CompileRequest program =
      request(matmulFunction("one", 128, 192, 256) + matmulFunction("two", 64, 192, 256));
  const DispatchMatcher matcher = matcherIn(program, "two");
  EXPECT_THAT(matcher.equal, IsEmpty());
  EXPECT_THAT(matcher.alike, IsEmpty());
  const Spec spec = makeSpec({{"two", "", matcher.matcher, kMatmulInfo}});
  const auto check = checkSpec(compiler_, program, spec);
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_THAT(check->entries[0].uses, SizeIs(1));
  EXPECT_EQ(check->entries[0].uses[0].dispatch, "two_dispatch_0");
  EXPECT_THAT(check->untouched, ElementsAre("one_dispatch_0"));
  EXPECT_TRUE(check->good());
}

TEST_F(SpecCheckTest, ReportsDispatchesWithTheSameMatcher) {
  // The same matmul twice; one of them has a fused epilogue.
  const CompileRequest program =
      request(matmulFunction("plain", 128, 192, 256) +
              matmulFunction("fused", 128, 192, 256, biasRelu(128, 192)));
  const DispatchMatcher plain = matcherIn(program, "plain");
  EXPECT_THAT(plain.alike, ElementsAre("fused_dispatch_0"));
  const Spec spec = makeSpec({{"both", "", plain.matcher, kMatmulInfo}});
  const auto check = checkSpec(compiler_, program, spec);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_THAT(check->entries[0].uses, SizeIs(2));
}

TEST_F(SpecCheckTest, ReportsUnmatchedAndShadowedEntries) {
  const CompileRequest program = request(matmulFunction("f", 128, 192, 256));
  const std::string matcher = matcherIn(program).matcher;
  const std::string elsewhere = matcherIn(request(matmulFunction("g", 96, 192, 256))).matcher;
  const Spec spec =
      makeSpec({{"first", "", matcher, kMatmulInfo},
                {"shadowed", "", matcher, cpuInfo("64, 64, 0", "8, 16, 0", "0, 0, 1")},
                {"elsewhere", "", elsewhere, kMatmulInfo}});
  const auto check = checkSpec(compiler_, program, spec);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_FALSE(check->good());
  EXPECT_THAT(check->entries[0].uses, SizeIs(1));
  EXPECT_THAT(check->entries[1].uses, IsEmpty());
  EXPECT_THAT(check->entries[2].uses, IsEmpty());
}

TEST_F(SpecCheckTest, RecognizesTheDefaultConfiguration) {
  const CompileRequest program = request(matmulFunction("f", 128, 192, 256));
  const auto roots = compiler_.ask(program, ListRootsJob{});
  ASSERT_TRUE(roots);
  const std::string info =
      fmt::format("#iree_codegen.compilation_info<lowering_config = {}, translation_info = {}>",
                  roots->at(0).loweringConfig, roots->at(0).translationInfo);
  const Spec spec = makeSpec({{"default", "", matcherIn(program).matcher, info}});
  const auto compiled = compileWithSpec(compiler_, program, spec, "");
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_THAT(compiled->check.entries[0].uses, SizeIs(1));
  EXPECT_TRUE(compiled->check.entries[0].uses[0].asDefault);
  EXPECT_TRUE(compiled->sameAsDefault);
}

TEST_F(SpecCheckTest, QuotesTheCompilersError) {
  const CompileRequest program = request(matmulFunction("f", 128, 192, 256));
  // A matmul has three loops.
  const Spec spec = makeSpec(
      {{"bad", "", matcherIn(program).matcher, cpuInfo("32, 32, 32", "8, 16, 0", "0, 0, 1")}});
  const auto check = checkSpec(compiler_, program, spec);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_THAT(check->refused, HasSubstr("distribution"));
  EXPECT_FALSE(check->good());
  const auto broken = checkSpec(compiler_, request("func.func @f( {"), spec);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("even without a spec"));
}

TEST_F(SpecCheckTest, HasNoMatcherForRootsCreatedAfterSpecs) {
  CompileRequest program = request(matmulFunction("f", 128, 192, 256));
  program.flags.emplace_back("--iree-opt-data-tiling");
  const auto matchers = queryMatchers(compiler_, program);
  ASSERT_TRUE(matchers) << matchers.error().message;
  bool found = false;
  for (const DispatchMatcher& one : *matchers) {
    if (one.matched.op == "linalg.mmt4d") {
      found = true;
      EXPECT_EQ(one.matcher, "");
      EXPECT_THAT(one.failureReason, HasSubstr("only after it applies specs"));
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(SpecCheckTest, ReportsConfigurationDroppedByDataTiling) {
  CompileRequest program = request(matmulFunction("f", 128, 192, 256));
  const Spec spec = makeSpec({{"plain", "", matcherIn(program).matcher, kMatmulInfo}});
  program.flags.emplace_back("--iree-opt-data-tiling");
  const auto compiled = compileWithSpec(compiler_, program, spec, folder_.path() / "none.vmfb");
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_THAT(compiled->check.entries[0].uses, SizeIs(1));
  EXPECT_FALSE(compiled->check.entries[0].uses[0].configured);
  EXPECT_FALSE(compiled->check.good());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none.vmfb"));
}

TEST_F(SpecCheckTest, CombinesWithTheCompilersDefaultSpecs) {
  CompileRequest program = request(emitMlir(kHalf), "rocm:gfx942");
  program.flags.emplace_back("--iree-codegen-enable-default-tuning-specs");
  const Spec spec =
      makeSpec({{"mine", "", matcherIn(program).matcher, gpuInfo("MFMA_F32_16x16x16_F16", 64)}});
  const auto check = checkSpec(compiler_, program, spec);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_EQ(check->refused, "");
  EXPECT_TRUE(check->good());
}

/// Multiplies two matrices of ones on a device; every element must be k.
void expectSums(const std::string& device, const std::filesystem::path& module) {
  const Installation installation = findInstallation("").value();
  const auto target = targetFrom(device == "vulkan" ? "vulkan" : "local").value();
  if (!chooseDevice(installation, target, device).value()) {
    return;  // no such device: compile only
  }
  Command command;
  command.argv = {installation.runtimeTool("iree-run-module").string(),
                  "--device=" + device,
                  "--module=" + module.string(),
                  "--function=main",
                  "--input=128x256xf32=1",
                  "--input=256x192xf32=1",
                  "--expected_output=128x192xf32=256"};
  const auto ran = runCommand(command);
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_TRUE(ran->ending.ok()) << ran->out << ran->err;
}

class SpecCompileTest : public SpecTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(SpecCompileTest, ChangesTheCodeOfEveryTarget) {
  const auto all = cases();
  const auto one = std::ranges::find(all, GetParam(), &Case::name);
  ASSERT_NE(one, all.end());
  const CompileRequest program = request(one->program, one->target);
  const Spec spec = makeSpec({{one->name, "", matcherIn(program).matcher, one->info}});
  const auto output = folder_.path() / "out.vmfb";
  const auto compiled = compileWithSpec(compiler_, program, spec, output);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_FALSE(compiled->compiled.module.empty()) << compiled->compiled.report.message;
  EXPECT_FALSE(compiled->sameAsDefault);
  EXPECT_EQ(hashFile(output).value(), compiled->compiled.content);
  EXPECT_EQ(compiled->check.takesSpecFlag, one->target == "local" || one->name == "gfx942");
  if (one->target == "local" || one->target == "vulkan") {
    expectSums(one->target == "local" ? "local-sync" : "vulkan", output);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SpecCompileTest,
                         ::testing::Values("matmul", "vulkan", "gfx942", "sm_80"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hone::iree
