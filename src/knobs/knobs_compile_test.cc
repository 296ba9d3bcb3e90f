#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "knobs/cpu/cpu_knobs.h"
#include "knobs/test_roots.h"
#include "knobs/vulkan/vulkan_knobs.h"

namespace hone::knobs {
namespace {

/// Returns a function with one operation, given the types of its inputs and its result.
std::string program(const std::vector<std::string>& inputs, const std::string& result,
                    const std::string& operation) {
  std::string arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    arguments += fmt::format("{}%a{}: tensor<{}>", i == 0 ? "" : ", ", i, inputs[i]);
  }
  return fmt::format(
      "func.func @main({0}) -> tensor<{1}> {{\n  %z = arith.constant 0.0 : f32\n"
      "  %e = tensor.empty() : tensor<{1}>\n"
      "  %f = linalg.fill ins(%z : f32) outs(%e : tensor<{1}>) -> tensor<{1}>\n"
      "  %r = {2}\n  return %r : tensor<{1}>\n}}\n",
      arguments, result, operation);
}

constexpr std::string_view kMatmul = "linalg.matmul";

std::string matmulProgram() {
  return program({"100x72xf32", "72x130xf32"}, "100x130xf32",
                 "linalg.matmul ins(%a0, %a1 : tensor<100x72xf32>, tensor<72x130xf32>) outs(%f : "
                 "tensor<100x130xf32>) -> tensor<100x130xf32>");
}

std::string batchMatmulProgram() {
  return program({"3x20x32xf32", "3x32x24xf32"}, "3x20x24xf32",
                 "linalg.batch_matmul ins(%a0, %a1 : tensor<3x20x32xf32>, tensor<3x32x24xf32>) "
                 "outs(%f : tensor<3x20x24xf32>) -> tensor<3x20x24xf32>");
}

std::string convProgram(bool channelsFirst) {
  const std::string in = channelsFirst ? "2x8x18x18xf32" : "2x18x18x8xf32";
  const std::string filter = channelsFirst ? "32x8x3x3xf32" : "3x3x8x32xf32";
  const std::string out = channelsFirst ? "2x32x16x16xf32" : "2x16x16x32xf32";
  return program({in, filter}, out,
                 fmt::format("linalg.conv_2d_{} {{dilations = dense<1> : tensor<2xi64>, strides = "
                             "dense<1> : tensor<2xi64>}} ins(%a0, %a1 : tensor<{}>, tensor<{}>) "
                             "outs(%f : tensor<{}>) -> tensor<{}>",
                             channelsFirst ? "nchw_fchw" : "nhwc_hwcf", in, filter, out, out));
}

std::string attentionProgram() {
  return program(
      {"2x32x16xf32", "2x40x16xf32", "2x40x16xf32"}, "2x32x16xf32",
      "iree_linalg_ext.attention <indexing_maps = [affine_map<(b, q, e, d, k) -> (b, q, d)>, "
      "affine_map<(b, q, e, d, k) -> (b, k, d)>, affine_map<(b, q, e, d, k) -> (b, k, e)>, "
      "affine_map<(b, q, e, d, k) -> ()>, affine_map<(b, q, e, d, k) -> (b, q, e)>]> ins(%a0, %a1, "
      "%a2, %z : tensor<2x32x16xf32>, tensor<2x40x16xf32>, tensor<2x40x16xf32>, f32) outs(%e : "
      "tensor<2x32x16xf32>) {\n  ^bb0(%s: f32):\n    iree_linalg_ext.yield %s : f32\n  } -> "
      "tensor<2x32x16xf32>");
}

std::string elementwiseProgram() {
  return program({"70x90xf32", "70x90xf32"}, "70x90xf32",
                 "linalg.map {arith.mulf} ins(%a0, %a1 : tensor<70x90xf32>, tensor<70x90xf32>) "
                 "outs(%e : tensor<70x90xf32>)");
}

std::string reductionProgram() {
  return program({"70x200xf32"}, "70xf32",
                 "linalg.reduce {arith.addf} ins(%a0 : tensor<70x200xf32>) outs(%f : "
                 "tensor<70xf32>) dimensions = [1]");
}

class KnobsCompileTest : public ::testing::Test {
 protected:
  /// Checks that the first points, and some spread over the space, compile to different modules.
  void expectCompiles(const std::string& target, const std::string& text, const std::string& op,
                      const Result<KnobModel>& model) {
    ASSERT_TRUE(model) << model.error().message;
    std::vector<std::size_t> points(
        model->first.begin(),
        model->first.begin() + std::min<std::ptrdiff_t>(3, std::ssize(model->first)));
    constexpr std::size_t kSpread = 5;
    for (std::size_t i = 0; i < kSpread; ++i) {
      points.push_back(i * (model->space.size() - 1) / (kSpread - 1));
    }
    const auto infos = model->compilationInfos(points).value();
    const auto file = folder_.path() / (hashBytes(text) + ".mlir");
    ASSERT_TRUE(writeFile(file, text));
    std::vector<iree::CompileRequest> requests;
    for (const std::string& info : infos) {
      requests.push_back({file,
                          hashBytes(text),
                          iree::targetFrom(target)->flags,
                          {{"", op, "compilation_info", info}},
                          iree::CompileRequest::Route::batched,
                          "main"});
    }
    const auto compiled = compiler_.compileAll(requests, {}).value();
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      EXPECT_EQ(compiled[i].report.status, iree::CompileReport::Status::ok)
          << infos[i] << ": " << compiled[i].report.message;
    }
    EXPECT_NE(compiled.front().content, compiled.back().content);
  }

  CpuLimits limits_ = detectCpuLimits();
  ScratchFolder folder_ = ScratchFolder::create("hone-knobs-test").value();
  iree::Installation installation_ = iree::findInstallation("").value();
  iree::Compiler compiler_{
      iree::CompilePool::start({installation_.compilerLibrary(), 2, {}}).value(),
      iree::ArtifactCache(folder_.path() / "cache"),
      Limits{std::chrono::seconds(120), std::uint64_t{8} << 30U}};
};

TEST_F(KnobsCompileTest, CompilesCpuMatmuls) {
  expectCompiles("local", matmulProgram(), std::string(kMatmul),
                 cpuKnobs(matmulRoot(100, 130, 72), limits_));
  expectCompiles("local", batchMatmulProgram(), "linalg.batch_matmul",
                 cpuKnobs(batchMatmulRoot(3, 20, 24, 32), limits_));
}

TEST_F(KnobsCompileTest, CompilesCpuConvolutions) {
  expectCompiles("local", convProgram(false), "linalg.generic",
                 cpuKnobs(convRoot(false, 2, 8, 16, 32, 3), limits_));
  expectCompiles("local", convProgram(true), "linalg.generic",
                 cpuKnobs(convRoot(true, 2, 8, 16, 32, 3), limits_));
}

TEST_F(KnobsCompileTest, CompilesCpuAttention) {
  expectCompiles("local", attentionProgram(), "iree_linalg_ext.attention",
                 cpuKnobs(attentionRoot(2, 32, 40, 16), limits_));
}

TEST_F(KnobsCompileTest, CompilesCpuElementwise) {
  // The compiler collapses two contiguous dimensions into one loop.
  model::RootOperation root = elementwiseRoot(1, 6300);
  root.loops.erase(root.loops.begin());
  for (model::RootOperand* operand : {root.inputs.data(), &root.inputs[1], root.outputs.data()}) {
    *operand = knobs::operand({6300}, {{0}});
  }
  expectCompiles("local", elementwiseProgram(), "linalg.generic", cpuKnobs(root, limits_));
  expectCompiles("local", reductionProgram(), "linalg.generic",
                 cpuKnobs(reductionRoot(70, 200), limits_));
}

TEST_F(KnobsCompileTest, CompilesVulkanMatmuls) {
  expectCompiles("vulkan", matmulProgram(), std::string(kMatmul),
                 vulkanKnobs(matmulRoot(100, 130, 72)));
  expectCompiles("vulkan", convProgram(false), "linalg.generic",
                 vulkanKnobs(convRoot(false, 2, 8, 16, 32, 3)));
}

}  // namespace
}  // namespace hone::knobs
