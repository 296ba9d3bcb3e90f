#include "iree/module/dispatches/module_roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "iree/compile/dispatch_programs.h"
#include "iree/compile/toolchain/test_toolchain.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::iree {
namespace {

using model::RootKind;
using model::RootOperation;
using ::testing::HasSubstr;
using Loops = std::vector<std::vector<std::size_t>>;
using Status = CompileReport::Status;

class RootsTest : public ::testing::Test {
 protected:
  std::vector<RootOperation> roots(const std::string& text, std::vector<std::string> flags = {}) {
    CompileRequest request = toolchain_.request(text, "p.mlir");
    request.flags.insert(request.flags.end(), flags.begin(), flags.end());
    return listRoots(toolchain_.compiler, request).value();
  }

  TestToolchain toolchain_;
};

TEST_F(RootsTest, DescribesMatmul) {
  const auto found =
      roots(emitMlir(model::Matmul{.m = 32, .n = 48, .k = 64, .transposeRhs = true}));
  ASSERT_EQ(found.size(), 1u);
  const RootOperation& root = found.front();
  EXPECT_EQ(root.dispatch, "main_dispatch_0");
  EXPECT_EQ(root.kind, RootKind::contraction);
  EXPECT_TRUE(root.attachable);
  EXPECT_EQ(root.loops, (std::vector<model::Loop>{{32, false}, {48, false}, {64, true}}));
  ASSERT_EQ(root.inputs.size(), 2u);
  EXPECT_EQ(root.inputs[1].shape, (std::vector<std::int64_t>{48, 64}));
  EXPECT_EQ(root.inputs[1].loops, (Loops{{1}, {2}}));
  EXPECT_EQ(root.outputs.at(0).element, "f32");
  EXPECT_THAT(root.loweringConfig, HasSubstr("distribution"));
  EXPECT_THAT(root.translationInfo, HasSubstr("pipeline"));
}

TEST_F(RootsTest, RecognizesKindsOfRewrittenOperations) {
  const auto conv =
      roots(emitMlir(model::Conv{.n = 2, .c = 8, .h = 10, .w = 10, .k = 16, .y = 3, .x = 3}));
  ASSERT_EQ(conv.size(), 1u);
  EXPECT_EQ(conv[0].kind, RootKind::convolution);
  EXPECT_EQ(conv[0].loops.size(), 7u);
  EXPECT_EQ(conv[0].inputs.at(0).loops, (Loops{{0}, {1, 4}, {2, 5}, {6}}));
  // The compiler has converted a 1x1 convolution to a matmul before configuration.
  const auto point =
      roots(emitMlir(model::Conv{.n = 2, .c = 8, .h = 10, .w = 10, .k = 16, .y = 1, .x = 1}));
  ASSERT_EQ(point.size(), 1u);
  EXPECT_EQ(point[0].kind, RootKind::contraction);
  const auto attention = roots(emitMlir(model::Attention{2, 64, 64, 32}));
  ASSERT_EQ(attention.size(), 1u);
  EXPECT_EQ(attention[0].kind, RootKind::attention);
  EXPECT_EQ(attention[0].op, "iree_linalg_ext.attention");
  EXPECT_EQ(attention[0].loops.size(), 5u);
}

TEST_F(RootsTest, RecognizesDataTilingRoots) {
  const auto found =
      roots(emitMlir(model::Matmul{.m = 64, .n = 64, .k = 64}), {"--iree-opt-data-tiling"});
  std::multiset<RootKind> kinds;
  for (const RootOperation& root : found) {
    kinds.insert(root.kind);
    // All of them are created after configurations are read.
    EXPECT_FALSE(root.attachable) << root.op << " of " << root.dispatch;
  }
  EXPECT_EQ(kinds.count(RootKind::mmt4d), 1u);
  EXPECT_EQ(kinds.count(RootKind::packing), found.size() - 1);
}

TEST_F(RootsTest, TreatsPoolingAsReduction) {
  const auto found = roots(R"mlir(
    func.func @main(%x: tensor<2x8x8x16xf32>, %n: tensor<?x8xf32>, %a: tensor<4x8xf32>)
        -> (tensor<2x4x4x16xf32>, tensor<?x8xf32>, tensor<9x8xf32>) {
      %zero = arith.constant 0.0 : f32
      %window = tensor.empty() : tensor<2x2xf32>
      %empty = tensor.empty() : tensor<2x4x4x16xf32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4x4x16xf32>)
          -> tensor<2x4x4x16xf32>
      %pool = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>}
          ins(%x, %window : tensor<2x8x8x16xf32>, tensor<2x2xf32>)
          outs(%init : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
      %exp = math.exp %n : tensor<?x8xf32>
      %into = tensor.empty() : tensor<9x8xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%into : tensor<9x8xf32>) -> tensor<9x8xf32>
      %put = tensor.insert_slice %a into %zeros[2, 0] [4, 8] [1, 1]
          : tensor<4x8xf32> into tensor<9x8xf32>
      return %pool, %exp, %put : tensor<2x4x4x16xf32>, tensor<?x8xf32>, tensor<9x8xf32>
    }
  )mlir");
  std::set<RootKind> kinds;
  for (const RootOperation& root : found) {
    kinds.insert(root.kind);
    EXPECT_FALSE(root.dispatch.empty());
    if (root.kind == RootKind::elementwise && root.inputs.at(0).shape.front() < 0) {
      EXPECT_EQ(root.loops.front().size, -1);
    }
  }
  EXPECT_TRUE(kinds.contains(RootKind::reduction));
  EXPECT_TRUE(kinds.contains(RootKind::elementwise));
  EXPECT_FALSE(kinds.contains(RootKind::convolution));
}

/// A sum of squares and a division by it: two linalg.generic in one dispatch.
constexpr const char* kTwoGenerics = R"mlir(
  #row = affine_map<(t, d) -> (t)>
  #both = affine_map<(t, d) -> (t, d)>
  func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#both, #row],
                           iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x256xf32>) outs(%init : tensor<64xf32>) {
      ^bb0(%value: f32, %old: f32):
        %square = arith.mulf %value, %value : f32
        %new = arith.addf %square, %old : f32
        linalg.yield %new : f32
    } -> tensor<64xf32>
    %wide = tensor.empty() : tensor<64x256xf32>
    %result = linalg.generic {indexing_maps = [#both, #row, #both],
                              iterator_types = ["parallel", "parallel"]}
        ins(%x, %sum : tensor<64x256xf32>, tensor<64xf32>) outs(%wide : tensor<64x256xf32>) {
      ^bb0(%value: f32, %total: f32, %out: f32):
        %scaled = arith.divf %value, %total : f32
        linalg.yield %scaled : f32
    } -> tensor<64x256xf32>
    return %result : tensor<64x256xf32>
  }
)mlir";

model::OpAttribute rows(const std::string& op, int rows) {
  return {"", op, "compilation_info",
          fmt::format("#iree_codegen.compilation_info<lowering_config = "
                      "#iree_cpu.lowering_config<distribution = [16, 0], vector_common_parallel = "
                      "[{}, 0], vector_reduction = [0, 8]>, translation_info = "
                      "#iree_codegen.translation_info<pipeline = "
                      "#iree_cpu.pipeline<DoubleTilingExpert>>>",
                      rows)};
}

TEST_F(RootsTest, AppliesConfigToTheNamedOperation) {
  CompileRequest request = toolchain_.request(kTwoGenerics, "two.mlir");
  const auto found = listRoots(toolchain_.compiler, request).value();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].op, "linalg.generic");
  EXPECT_EQ(found[0].ordinal, 0u);
  const auto content = [&](model::OpAttribute attribute) {
    request.attributes = {std::move(attribute)};
    const Compiled compiled = toolchain_.compile(request);
    EXPECT_EQ(compiled.report.status, Status::ok) << compiled.report.message;
    EXPECT_EQ(compiled.ignored, "");
    return compiled.content;
  };
  EXPECT_EQ(content(rows("", 4)), content(rows("linalg.generic#0", 4)));
  // The second one has no reduction, so its config must not have vector_reduction.
  model::OpAttribute second = rows("linalg.generic#1", 4);
  const std::string sum = ", vector_reduction = [0, 8]";
  second.value.erase(second.value.find(sum), sum.size());
  EXPECT_NE(content(rows("", 4)), content(second));
  request.attributes = {rows("linalg.generic#2", 4)};
  const Compiled missing = toolchain_.compile(request);
  EXPECT_EQ(missing.report.status, Status::noMatch);
  EXPECT_THAT(missing.report.message, HasSubstr("linalg.generic#2"));
}

TEST_F(RootsTest, AppliesBatchedConfigsOnlyToTheRoot) {
  std::vector<CompileRequest> requests(3, toolchain_.request(kTwoGenerics, "two.mlir"));
  for (CompileRequest& request : requests) {
    request.route = CompileRequest::Route::batched;
    request.function = "main";
  }
  requests[1].attributes = {rows("", 4)};
  requests[2].attributes = {rows("linalg.generic#0", 4)};
  const auto compiled = toolchain_.compiler.compileAll(requests, {}).value();
  for (const Compiled& one : compiled) {
    EXPECT_EQ(one.report.status, Status::ok) << one.report.message;
    EXPECT_EQ(one.ignored, "");
  }
  EXPECT_EQ(compiled[1].content, compiled[2].content);
  EXPECT_NE(compiled[0].content, compiled[1].content);
}

/// The compiler folds a unit batch and restores it after reading configurations. The new operation
/// has none.
TEST_F(RootsTest, ReportsIgnoredConfig) {
  const std::string text =
      emitMlir(model::Conv{.n = 1, .c = 8, .h = 10, .w = 18, .k = 16, .y = 3, .x = 3});
  CompileRequest request = toolchain_.request(text, "conv.mlir");
  const auto found = listRoots(toolchain_.compiler, request).value();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].attachable);
  const std::string info =
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = "
      "[4, 8, 16, 0, 0, 0], vector_common_parallel = [1, 8, 8, 0, 0, 0], vector_reduction = "
      "[0, 0, 0, 1, 1, 8]>, translation_info = #iree_codegen.translation_info<pipeline = "
      "#iree_cpu.pipeline<ConvTileAndDecomposeExpert>>>";
  request.attributes = {{"", "linalg.generic", "compilation_info", info}};
  for (const auto route : {CompileRequest::Route::shared, CompileRequest::Route::batched}) {
    request.route = route;
    request.function = "main";
    for (int time = 0; time < 2; ++time) {  // the second compile may be cached
      EXPECT_THAT(toolchain_.compile(request).ignored,
                  HasSubstr("ignored the configuration for linalg.generic of main_dispatch_0"));
    }
  }
  request.attributes[0].op = "";
  const Compiled refused = toolchain_.compile(request);
  EXPECT_EQ(refused.report.status, Status::noMatch);
  EXPECT_THAT(refused.report.message, HasSubstr("cannot configure the root operation"));
}

}  // namespace
}  // namespace hone::iree
