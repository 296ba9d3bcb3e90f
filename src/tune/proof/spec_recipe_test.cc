#include "tune/proof/spec_recipe.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/toolchain/installation.h"
#include "tune/program/tune_result.h"

namespace hone::tune {
namespace {

constexpr std::string_view kTwoMatmuls = R"mlir(
func.func @main(%a: tensor<64x96xf32>, %b: tensor<96x128xf32>, %c: tensor<128x32xf32>) -> tensor<64x32xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x128xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %r0 = linalg.matmul ins(%a, %b : tensor<64x96xf32>, tensor<96x128xf32>) outs(%f0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %e1 = tensor.empty() : tensor<64x32xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r1 = linalg.matmul ins(%r0, %c : tensor<64x128xf32>, tensor<128x32xf32>) outs(%f1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r1 : tensor<64x32xf32>
}
)mlir";

constexpr const char* kInfo =
    "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = "
    "[32, 32, 0], vector_common_parallel = [8, 16, 0], vector_reduction = [0, 0, 1]>, "
    "translation_info = #iree_codegen.translation_info<pipeline = "
    "#iree_cpu.pipeline<DoubleTilingExpert>>>";

class SpecRecipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    whole_.program.source = folder_.path() / "two.mlir";
    whole_.program.hash = hashBytes(kTwoMatmuls);
    whole_.flags = target_.flags;
    ASSERT_TRUE(writeFile(whole_.program.source, std::string(kTwoMatmuls)));
  }

  /// Returns all dispatches with a winner, most expensive first.
  std::vector<TunedDispatch> winners(double firstShare) {
    std::vector<TunedDispatch> dispatches;
    const auto matchers = iree::queryMatchers(compiler_, requestFor(whole_, whole_.flags)).value();
    for (const iree::DispatchMatcher& matcher : matchers) {
      TunedDispatch& dispatch = dispatches.emplace_back();
      dispatch.tunable.name = dispatch.tunable.root.dispatch = matcher.dispatch;
      dispatch.tunable.dispatches = {matcher.dispatch};
      dispatch.tunable.share = dispatches.size() == 1 ? firstShare : 1 - firstShare;
      dispatch.winner.emplace();
      dispatch.winner->config.attributes = {{"", "", "compilation_info", kInfo}};
      dispatch.winner->comparison.emplace();
      dispatch.winner->comparison->speedup = {1.1, 1.2, 1.3};
    }
    return dispatches;
  }

  SpecRecipe recipeFor(double firstShare) {
    auto dispatches = winners(firstShare);
    return SpecRecipe::make(compiler_, target_, whole_, {}, dispatches).value();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-recipe-test").value();
  iree::Target target_ = iree::targetFrom("local").value();
  iree::Compiler compiler_{
      iree::CompilePool::start({iree::findInstallation("")->compilerLibrary(), 2, {}}).value(),
      iree::ArtifactCache(folder_.path() / "cache"),
      Limits{std::chrono::seconds(120), std::uint64_t{8} << 30U}};
  WholeProgram whole_;
};

/// Each process measures the shares again, but the trials of a proof must still be found.
TEST_F(SpecRecipeTest, ConfigDoesNotDependOnShares) {
  const std::vector<std::size_t> both = {0, 1};
  const SpecRecipe some = recipeFor(0.7);
  const SpecRecipe other = recipeFor(0.2);
  EXPECT_EQ(some.recipe().buildConfig(both).value().key(),
            other.recipe().buildConfig(both).value().key());
  EXPECT_NE(some.text(both).value(), other.text(both).value()) << "comments show the shares";
  EXPECT_TRUE(some.text(both)->contains("70 %"));
}

TEST_F(SpecRecipeTest, ReportsFaultsOnProgram) {
  const std::vector<std::size_t> both = {0, 1};
  auto dispatches = winners(0.5);
  ASSERT_EQ(dispatches.size(), 2u);
  const auto recipe = SpecRecipe::make(compiler_, target_, whole_, {}, dispatches).value();
  EXPECT_TRUE(recipe.findFaults(compiler_, whole_, both, dispatches)->empty());
  EXPECT_TRUE(recipe.findFaults(compiler_, whole_, {}, dispatches)->empty());
  const std::string second = dispatches[1].tunable.name;
  dispatches[0].tunable.dispatches.push_back(second);
  const auto missed = recipe.findFaults(compiler_, whole_, both, dispatches).value();
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_TRUE(missed[0].contains("does not apply to " + second)) << missed[0];
  dispatches[0].tunable.dispatches = {dispatches[0].tunable.name, "main_dispatch_9"};
  EXPECT_TRUE(recipe.findFaults(compiler_, whole_, both, dispatches)->empty())
      << "identical dispatches are merged";
  dispatches[0].tunable.dispatches = {"main_dispatch_9"};
  const auto elsewhere = recipe.findFaults(compiler_, whole_, both, dispatches).value();
  ASSERT_EQ(elsewhere.size(), 1u);
  EXPECT_TRUE(elsewhere[0].contains("not tuned")) << elsewhere[0];
  WholeProgram other = whole_;
  other.program.source = folder_.path() / "other.mlir";
  const std::string one =
      "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %r = arith.addf %a, %a : "
      "tensor<8xf32>\n  return %r : tensor<8xf32>\n}\n";
  other.program.hash = hashBytes(one);
  ASSERT_TRUE(writeFile(other.program.source, one));
  const auto nothing = recipe.findFaults(compiler_, other, both, dispatches).value();
  ASSERT_EQ(nothing.size(), 2u);
  EXPECT_TRUE(nothing[0].contains("matches nothing")) << nothing[0];
}

}  // namespace
}  // namespace hone::tune
