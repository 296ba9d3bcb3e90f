#include "iree/compile/compiler.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "base/hash.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::iree {
namespace {

using Status = CompileReport::Status;
using ::testing::HasSubstr;

/// Returns a CPU config with these tile sizes.
model::OpAttribute tiles(int distribution, int rows, int columns, int reduction) {
  return {"", "", "compilation_info",
          fmt::format(
              "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<"
              "distribution = [{0}, {0}, 0], vector_common_parallel = [{1}, {2}, 0], "
              "vector_reduction = [0, 0, {3}]>, translation_info = "
              "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>",
              distribution, rows, columns, reduction)};
}

class CompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto installation = findInstallation("");
    ASSERT_TRUE(installation) << installation.error().message;
    auto pool = CompilePool::start({installation->compilerLibrary(), 2, {}});
    ASSERT_TRUE(pool) << pool.error().message;
    compiler_ =
        std::make_unique<Compiler>(std::move(*pool), ArtifactCache(folder_.path() / "cache"),
                                   Limits{std::chrono::seconds(60), memory_});
  }

  CompileRequest request(const std::string& text, const std::string& name = "p.mlir") {
    const auto file = folder_.path() / name;
    EXPECT_TRUE(writeFile(file, text));
    return {file, hashBytes(text), targetFrom("local")->flags, {}};
  }

  CompileRequest matmul() { return request(emitMlir(model::Matmul{.m = 64, .n = 64, .k = 64})); }

  Compiled compile(const CompileRequest& one) {
    const std::vector<CompileRequest> requests = {one};
    return compiler_->compileAll(requests, {}).value().front();
  }

  /// Compiles with a fresh pool and an empty cache.
  Compiled compileFresh(const CompileRequest& one) {
    auto pool = CompilePool::start({findInstallation("")->compilerLibrary(), 1, {}}).value();
    Compiler fresh(std::move(pool), ArtifactCache(folder_.path() / "fresh"),
                   Limits{std::chrono::seconds(60), memory_});
    const std::vector<CompileRequest> requests = {one};
    return fresh.compileAll(requests, {}).value().front();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-compiler-test").value();
  std::uint64_t memory_ = std::uint64_t{8} << 30U;
  std::unique_ptr<Compiler> compiler_;
};

/// Such IR is not verified by default.
TEST_F(CompilerTest, RejectsInvalidIrOfLaterPhase) {
  CompileRequest invalid = request(R"mlir(
func.func @main(%a: tensor<4x5xf32>, %b: tensor<6x7xf32>, %c: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<6x7xf32>) outs(%c : tensor<4x7xf32>) -> tensor<4x7xf32>
  return %r : tensor<4x7xf32>
}
)mlir");
  invalid.from = kPhaseInput;
  const Compiled compiled = compile(invalid);
  EXPECT_NE(compiled.report.status, Status::ok);
  EXPECT_THAT(compiled.report.message, HasSubstr("matmul"));
}

/// Returns a spec whose matchers match nothing.
std::string specOf(int matchers) {
  std::string sequences;
  std::vector<std::string> pairs;
  for (int i = 0; i < matchers; ++i) {
    sequences += fmt::format(
        "transform.named_sequence @match{0}(%op: !transform.any_op {{transform.readonly}})\n"
        "    -> !transform.any_op {{\n"
        "  transform.match.operation_name %op [\"test.op{0}\"] : !transform.any_op\n"
        "  transform.yield %op : !transform.any_op\n}}\n",
        i);
    pairs.push_back(fmt::format("@match{} -> @keep", i));
  }
  return fmt::format(R"mlir(
module @spec attributes {{transform.with_named_sequence}} {{
transform.named_sequence @keep(%op: !transform.any_op {{transform.readonly}}) {{
  transform.yield
}}
{}transform.named_sequence @__kernel_config(%module: !transform.any_op {{transform.consumed}})
    -> !transform.any_op attributes {{iree_codegen.tuning_spec_entrypoint}} {{
  %updated = transform.foreach_match in %module {} : (!transform.any_op) -> !transform.any_op
  transform.yield %updated : !transform.any_op
}}
}}
)mlir",
                     sequences, fmt::join(pairs, ", "));
}

/// Returns a program with matmuls of different sizes, each in its own dispatch.
std::string matmulsText(int count) {
  std::string arguments = "%x0: tensor<32x16xf32>";
  std::string body = "%zero = arith.constant 0.0 : f32\n";
  for (int i = 1; i <= count; ++i) {
    const int k = 15 + i;
    arguments += fmt::format(", %b{}: tensor<{}x{}xf32>", i, k, k + 1);
    body += fmt::format(
        "%e{0} = tensor.empty() : tensor<32x{3}xf32>\n"
        "%f{0} = linalg.fill ins(%zero : f32) outs(%e{0} : tensor<32x{3}xf32>)"
        " -> tensor<32x{3}xf32>\n"
        "%x{0} = linalg.matmul ins(%x{1}, %b{0} : tensor<32x{2}xf32>, tensor<{2}x{3}xf32>) "
        "outs(%f{0} : tensor<32x{3}xf32>) -> tensor<32x{3}xf32>\n",
        i, i - 1, k, k + 1);
  }
  return fmt::format(
      "func.func @main({0}) -> tensor<32x{3}xf32> {{\n{1}return %x{2} : tensor<32x{3}xf32>\n}}\n",
      arguments, body, count, 16 + count);
}

/// IREE 3.13 deadlocks if several threads read a spec.
TEST_F(CompilerTest, CompilesManyDispatchesWithSpec) {
  const auto spec = folder_.path() / "spec.mlir";
  ASSERT_TRUE(writeFile(spec, specOf(12)));
  for (int dispatches = 6; dispatches < 12; ++dispatches) {
    CompileRequest one = request(matmulsText(dispatches));
    one.flags.push_back("--iree-codegen-tuning-spec-path=" + spec.string());
    one.wallLimit = std::chrono::seconds(20);
    const Compiled compiled = compile(one);
    EXPECT_EQ(compiled.report.status, Status::ok) << compiled.report.message;
  }
}

TEST_F(CompilerTest, CachesModules) {
  const Compiled first = compile(matmul());
  ASSERT_EQ(first.report.status, Status::ok) << first.report.message;
  EXPECT_FALSE(first.cached);
  EXPECT_GT(first.report.ending.cpuNs, 0);
  const Compiled again = compile(matmul());
  EXPECT_TRUE(again.cached);
  EXPECT_EQ(again.content, first.content);
  EXPECT_EQ(again.module, first.module);
}

TEST_F(CompilerTest, CompilesConfigsToDifferentBinaries) {
  std::vector<CompileRequest> requests(3, matmul());
  for (CompileRequest& request : requests) {
    request.route = CompileRequest::Route::shared;
  }
  requests[1].attributes = {tiles(32, 8, 16, 1)};
  requests[2].attributes = {tiles(32, 4, 16, 1)};
  int done = 0;
  const auto compiled =
      compiler_->compileAll(requests, [&](std::size_t, const Compiled&) { ++done; }).value();
  EXPECT_EQ(done, 3);
  for (const Compiled& one : compiled) {
    EXPECT_EQ(one.report.status, Status::ok) << one.report.message;
  }
  EXPECT_NE(compiled[0].content, compiled[1].content);
  EXPECT_NE(compiled[1].content, compiled[2].content);
}

TEST_F(CompilerTest, BatchHasOneFunctionPerConfig) {
  std::vector<CompileRequest> requests(5, matmul());
  for (CompileRequest& request : requests) {
    request.route = CompileRequest::Route::batched;
    request.function = "main";
  }
  requests[1].attributes = {tiles(32, 8, 16, 1)};
  requests[2].attributes = {tiles(32, 4, 16, 1)};
  requests[3].attributes = {tiles(32, 8, 16, 1)};    // a duplicate
  requests[4].attributes = {tiles(64, 64, 64, 64)};  // fails without affecting the others
  const auto compiled = compiler_->compileAll(requests, {}).value();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(compiled[i].report.status, Status::ok) << compiled[i].report.message;
    EXPECT_THAT(compiled[i].function, HasSubstr("main__hone"));
  }
  EXPECT_EQ(compiled[4].report.status, Status::failed);
  EXPECT_EQ(compiled[1].content, compiled[3].content);
  EXPECT_NE(compiled[0].content, compiled[1].content);
  EXPECT_NE(compiled[1].content, compiled[2].content);
  requests.pop_back();
  const auto again = compiler_->compileAll(requests, {}).value();
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_TRUE(again[i].cached);
    EXPECT_EQ(again[i].content, compiled[i].content);
  }
}

TEST_F(CompilerTest, BatchedConfigsShareModules) {
  std::vector<CompileRequest> requests(4, matmul());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].route = CompileRequest::Route::batched;
    requests[i].function = "main";
    requests[i].attributes = {tiles(32, 2 << i, 16, 1)};
  }
  const auto compiled = compiler_->compileAll(requests, {}).value();
  std::set<std::filesystem::path> modules;
  for (const Compiled& one : compiled) {
    EXPECT_EQ(one.report.status, Status::ok) << one.report.message;
    modules.insert(one.module);
  }
  EXPECT_EQ(modules.size(), 2u);  // one per worker
  EXPECT_NE(compiled[0].function, compiled[1].function);
}

TEST_F(CompilerTest, CompilesSeparatelyIfProgramCannotBeCloned) {
  const std::string two = emitMlir(model::Matmul{.m = 64, .n = 64, .k = 64}) +
                          emitMlir(model::Matmul{.m = 32, .n = 32, .k = 32}, "other");
  std::vector<CompileRequest> requests(2, request(two, "two.mlir"));
  for (CompileRequest& one : requests) {
    one.route = CompileRequest::Route::batched;
    one.function = "main";
    one.attributes = {tiles(32, 8, 16, 1)};
  }
  for (const bool cached : {false, true}) {
    const auto compiled = compiler_->compileAll(requests, {}).value();
    for (const Compiled& one : compiled) {
      EXPECT_EQ(one.report.status, Status::ok) << one.report.message;
      EXPECT_EQ(one.function, "");
      EXPECT_EQ(one.cached, cached);
    }
  }
}

TEST_F(CompilerTest, ReportsCompilerFailure) {
  CompileRequest huge = matmul();
  huge.attributes = {tiles(64, 64, 64, 64)};
  const Compiled failed = compile(huge);
  EXPECT_EQ(failed.report.status, Status::failed);
  EXPECT_THAT(failed.report.message, HasSubstr("large vector"));
  EXPECT_THAT(failed.report.diagnostics, HasSubstr("linalg.matmul"));
  EXPECT_TRUE(failed.module.empty());
}

TEST_F(CompilerTest, DistinguishesBadFlagsAttributesAndOps) {
  CompileRequest flag = matmul();
  flag.flags.emplace_back("--no-such-flag");
  EXPECT_EQ(compile(flag).report.status, Status::badFlag);
  EXPECT_THAT(compile(flag).report.message, HasSubstr("no-such-flag"));
  CompileRequest attribute = matmul();
  attribute.attributes = {{"", "linalg.matmul", "compilation_info", "#nonsense<"}};
  EXPECT_EQ(compile(attribute).report.status, Status::noMatch);
  CompileRequest op = matmul();
  op.attributes = {{"", "linalg.pooling", "compilation_info", "1 : i64"}};
  EXPECT_EQ(compile(op).report.status, Status::noMatch);
  EXPECT_THAT(compile(op).report.message, HasSubstr("linalg.pooling"));
  CompileRequest dispatch = matmul();
  dispatch.attributes = {tiles(32, 8, 16, 1)};
  dispatch.attributes[0].dispatch = "elsewhere";
  EXPECT_EQ(compile(dispatch).report.status, Status::noMatch);
}

TEST_F(CompilerTest, ReportsLocationOfParseError) {
  const auto described = compiler_->describe(request("int main() { return 0; }\n", "x.mlir"));
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().fault, Fault::user);
  EXPECT_THAT(described.error().message, HasSubstr("x.mlir:1:"));
}

TEST_F(CompilerTest, IsolatesGlobalFlagsOfJobs) {
  const CompileRequest request = matmul();
  const auto roots = listRoots(*compiler_, request).value();  // sets a global flag in its child
  ASSERT_EQ(roots.size(), 1u);
  EXPECT_EQ(roots[0].op, "linalg.matmul");
  EXPECT_THAT(roots[0].loweringConfig, HasSubstr("distribution"));
  EXPECT_EQ(compile(request).content, compileFresh(request).content);
}

/// Returns the problem that describe() recognizes, if any.
std::optional<model::Problem> recognized(Compiler& compiler, const CompileRequest& request) {
  return compiler.describe(request).value().front().problem;
}

TEST_F(CompilerTest, RecognizesProblemsWrittenByHone) {
  using model::ElementType;
  const std::vector<model::Problem> problems = {
      model::Matmul{.m = 3, .n = 5, .k = 7},
      model::Matmul{.batch = 2, .m = 3, .n = 5, .k = 7},
      model::Matmul{.m = 3, .n = 5, .k = 7, .transposeLhs = true},
      model::Matmul{.m = 3, .n = 5, .k = 7, .transposeRhs = true},
      model::Matmul{.m = 4,
                    .n = 4,
                    .k = 4,
                    .lhs = ElementType::i8,
                    .rhs = ElementType::i8,
                    .result = ElementType::i32},
      model::Conv{.layout = model::ConvLayout::nchw,
                  .n = 1,
                  .c = 2,
                  .h = 8,
                  .w = 9,
                  .k = 3,
                  .y = 3,
                  .x = 2,
                  .strideH = 2,
                  .dilationW = 2}};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto name = fmt::format("p{}.mlir", i);
    EXPECT_EQ(recognized(*compiler_, request(emitMlir(problems[i]), name)), problems[i])
        << model::nameOf(problems[i]);
  }
}

TEST_F(CompilerTest, RecognizesEpilogues) {
  using model::Activation;
  const model::Matmul matmul{.m = 3, .n = 5, .k = 7};
  const model::Conv conv{.n = 2, .c = 4, .h = 8, .w = 9, .k = 6, .y = 3, .x = 3};
  std::vector<model::Problem> problems = {model::Attention{2, 3, 4, 5},
                                          model::Attention{.type = model::ElementType::f16}};
  for (const bool bias : {false, true}) {
    for (const auto activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::softmax}) {
      problems.emplace_back(matmul);
      std::get<model::Matmul>(problems.back()).epilogue = {bias, activation};
      if (activation != Activation::softmax) {
        problems.emplace_back(conv);
        auto& padded = std::get<model::Conv>(problems.back());
        padded.epilogue = {bias, activation};
        padded.padH = bias ? 1 : 0;
        padded.strideW = bias ? 2 : 1;
        padded.groups = bias ? 2 : 1;
      }
    }
  }
  std::string all;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    all += emitMlir(problems[i], fmt::format("f{}", i));
  }
  const auto functions = compiler_->describe(request(all)).value();
  ASSERT_EQ(functions.size(), problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    ASSERT_TRUE(functions[i].problem) << emitMlir(problems[i]);
    EXPECT_EQ(*functions[i].problem, problems[i]);
  }
}

TEST_F(CompilerTest, RejectsAlteredEpiloguesAndAttention) {
  const std::string relu = emitMlir(
      model::Matmul{.m = 3, .n = 3, .k = 3, .epilogue = {.activation = model::Activation::relu}});
  const std::string attention = emitMlir(model::Attention{2, 3, 3, 3});
  const std::vector<std::array<std::string, 3>> changes = {
      {relu, "0.0", "1.0"},
      {relu, "maximumf", "minimumf"},
      {relu, "ins(%first, %second", "ins(%second, %first"},
      {attention, "e-01", "e-02"},
      {attention, "-> (b, k, d)", "-> (b, d, k)"},
      {attention, "ins(%first, %second", "ins(%second, %first"}};
  for (const auto& [text, from, to] : changes) {
    ASSERT_TRUE(text.contains(from)) << text;
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_FALSE(recognized(*compiler_, request(changed))) << changed;
  }
}

TEST_F(CompilerTest, RejectsAlteredMatmuls) {
  const std::string text = emitMlir(model::Matmul{.m = 3, .n = 5, .k = 7});
  std::string ones = text;
  const auto at = ones.find("0.0");
  ASSERT_NE(at, std::string::npos) << text;
  ones.replace(at, 3, "1.0");
  EXPECT_FALSE(recognized(*compiler_, request(ones, "ones.mlir")));
  const std::string square = emitMlir(model::Matmul{.m = 4, .n = 4, .k = 4});
  EXPECT_TRUE(recognized(*compiler_, request(square, "square.mlir")));
  std::string swapped = square;
  const std::string operands = "%first, %second :";
  ASSERT_NE(swapped.find(operands), std::string::npos) << square;
  swapped.replace(swapped.find(operands), operands.size(), "%second, %first :");
  EXPECT_FALSE(recognized(*compiler_, request(swapped, "swapped.mlir")));
}

TEST_F(CompilerTest, ListsProblemsOfProgramWithAnyOperands) {
  const auto* text = R"mlir(
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %image: tensor<1x6x7x2xf16>,
                    %hwcf: tensor<3x3x2x5xf16>, %init: tensor<1x4x5x5xf32>, %d: tensor<?x8xf32>)
        -> (tensor<4x8xf32>, tensor<1x4x5x5xf32>, tensor<?x8xf32>) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<4x8xf32>
      %sum = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
      %a = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>)
                         outs(%sum : tensor<4x8xf32>) -> tensor<4x8xf32>
      %b = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                          affine_map<(m, n, k) -> (n, k)>,
                                          affine_map<(m, n, k) -> (m, n)>]
                         ins(%a, %w : tensor<4x8xf32>, tensor<8x8xf32>)
                         outs(%a : tensor<4x8xf32>) -> tensor<4x8xf32>
      %c = linalg.conv_2d_nhwc_hwcf ins(%image, %hwcf : tensor<1x6x7x2xf16>, tensor<3x3x2x5xf16>)
                                    outs(%init : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
      %e = linalg.matmul ins(%b, %w : tensor<4x8xf32>, tensor<8x8xf32>)
                         outs(%sum : tensor<4x8xf32>) -> tensor<4x8xf32>
      %f = linalg.matmul ins(%d, %w : tensor<?x8xf32>, tensor<8x8xf32>)
                         outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
      return %e, %c, %f : tensor<4x8xf32>, tensor<1x4x5x5xf32>, tensor<?x8xf32>
    }
  )mlir";
  const model::Matmul plain{.m = 4, .n = 8, .k = 8};
  model::Matmul transposed = plain;
  transposed.transposeRhs = true;
  model::Conv conv{.n = 1, .c = 2, .h = 6, .w = 7, .k = 5, .y = 3, .x = 3};
  conv.input = model::ElementType::f16;
  EXPECT_EQ(compiler_->problems(request(text)).value(),
            (std::vector<model::Problem>{plain, transposed, conv, plain}));
  conv.groups = 2;
  conv.c = 8;
  conv.k = 6;
  conv.padH = 1;
  const auto grouped = compiler_->problems(request(emitMlir(conv), "grouped.mlir")).value();
  conv.h += 2;  // the operation's input is already padded
  conv.padH = 0;
  EXPECT_EQ(grouped, std::vector<model::Problem>{conv});
  EXPECT_FALSE(compiler_->problems(request("nonsense", "x.mlir")));
}

TEST_F(CompilerTest, AppliesConfigInTheSource) {
  const model::Matmul matmul{.m = 64, .n = 64, .k = 64};
  model::Matmul fused = matmul;
  fused.epilogue = {true, model::Activation::relu};
  model::Matmul transposed = matmul;
  transposed.transposeRhs = true;
  // Each problem is compiled with the compiler's tiles and two others.
  for (const model::Matmul& problem : {matmul, fused, transposed}) {
    std::set<std::string> contents = {compile(request(emitMlir(problem))).content};
    for (const int rows : {4, 8}) {
      const std::string config = "#config = " + tiles(32, rows, 16, 1).value + "\n";
      const Compiled compiled =
          compile(request(config + emitMlir(problem, "main", "compilation_info = #config")));
      EXPECT_EQ(compiled.report.status, Status::ok) << compiled.report.message;
      contents.insert(compiled.content);
    }
    EXPECT_EQ(contents.size(), 3u) << model::nameOf(problem);
  }
}

TEST_F(CompilerTest, SplitReductionMakesTwoDispatches) {
  const model::Matmul matmul{.m = 64, .n = 64, .k = 4096};
  CompileRequest split = request(
      emitMlir(matmul, "main", "iree_linalg_ext.split_reduction = [256 : index]"), "split.mlir");
  split.flags.emplace_back("--iree-dispatch-creation-enable-split-reduction");
  EXPECT_EQ(listRoots(*compiler_, split).value().size(), 2u);
  EXPECT_EQ(compile(split).report.status, Status::ok);
  EXPECT_EQ(listRoots(*compiler_, request(emitMlir(matmul), "whole.mlir")).value().size(), 1u);
}

}  // namespace
}  // namespace hone::iree
