#include "tune/layers/layer_rewrites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "iree/compile/toolchain/test_toolchain.h"
#include "tune/program/layout_scripts.h"
#include "tune/program/program_flags.h"
#include "verify/compare.h"
#include "verify/inputs.h"

namespace hone::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A program with one operation between elementwise ones.
struct OneLayer {
  std::string op;
  std::string image;
  std::string filter;
  std::string result;
  std::string strides = "dense<1> : tensor<2xi64>";
  std::string dilations = "dense<1> : tensor<2xi64>";
};

std::string elementOf(const std::string& type) { return type.substr(type.rfind('x') + 1); }

/// Returns a program that computes the layer, starting from an initial value that is not zero.
std::string programWith(const OneLayer& layer) {
  const std::string element = elementOf(layer.result);
  const bool isFloat = element.contains('f');
  return fmt::format(
      R"mlir(
func.func @main(%image: tensor<{0}>, %filter: tensor<{1}>) -> tensor<{2}> {{
  %one = arith.constant {3} : {4}
  %empty = tensor.empty() : tensor<{2}>
  %init = linalg.fill ins(%one : {4}) outs(%empty : tensor<{2}>) -> tensor<{2}>
  %result = linalg.{5} {{dilations = {6}, strides = {7}}}
      ins(%image, %filter : tensor<{0}>, tensor<{1}>) outs(%init : tensor<{2}>) -> tensor<{2}>
  return %result : tensor<{2}>
}}
)mlir",
      layer.image, layer.filter, layer.result, isFloat ? "1.0" : "1", element, layer.op,
      layer.dilations, layer.strides);
}

constexpr std::string_view kConcat = R"mlir(
func.func @main(%a: tensor<1x8x6x6xf32>, %b: tensor<1x4x6x6xf32>) -> tensor<1x12x6x6xf32> {
  %r = tensor.concat dim(1) %a, %b : (tensor<1x8x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x12x6x6xf32>
  return %r : tensor<1x12x6x6xf32>
}
)mlir";

constexpr std::string_view kSlice = R"mlir(
func.func @main(%a: tensor<1x8x6x6xf32>) -> tensor<1x3x6x5xf32> {
  %r = tensor.extract_slice %a[0, 4, 0, 1] [1, 3, 6, 5] [1, 1, 1, 1] : tensor<1x8x6x6xf32> to tensor<1x3x6x5xf32>
  return %r : tensor<1x3x6x5xf32>
}
)mlir";

constexpr std::string_view kMatmul = R"mlir(
func.func @main(%a: tensor<48x64xf32>, %b: tensor<64x80xf32>) -> tensor<48x80xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x80xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<48x80xf32>) -> tensor<48x80xf32>
  %r = linalg.matmul ins(%a, %b : tensor<48x64xf32>, tensor<64x80xf32>) outs(%f : tensor<48x80xf32>) -> tensor<48x80xf32>
  return %r : tensor<48x80xf32>
}
)mlir";

/// A batch of one, as the importer writes a matmul of a tensor with weights.
constexpr std::string_view kBatchMatmul = R"mlir(
func.func @main(%a: tensor<1x12x24xf32>, %b: tensor<1x24x40xf32>) -> tensor<1x12x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x12x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x12x40xf32>) -> tensor<1x12x40xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<1x12x24xf32>, tensor<1x24x40xf32>) outs(%f : tensor<1x12x40xf32>) -> tensor<1x12x40xf32>
  return %r : tensor<1x12x40xf32>
}
)mlir";

/// A product of a vector with constant weights.
constexpr std::string_view kVectorProduct = R"mlir(
func.func @main(%a: tensor<1x256xf32>) -> tensor<1x300xf32> {
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<256x300xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]} outs(%i : tensor<256x300xf32>) {
  ^bb0(%old: f32):
    %k = linalg.index 0 : index
    %n = linalg.index 1 : index
    %s = affine.apply affine_map<(k, n) -> ((k * 7 + n * 13) mod 17 - 8)>(%k, %n)
    %c = arith.index_cast %s : index to i32
    %x = arith.sitofp %c : i32 to f32
    linalg.yield %x : f32
  } -> tensor<256x300xf32>
  %e = tensor.empty() : tensor<1x300xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x300xf32>) -> tensor<1x300xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x256xf32>, tensor<256x300xf32>) outs(%f : tensor<1x300xf32>) -> tensor<1x300xf32>
  return %r : tensor<1x300xf32>
}
)mlir";

/// A vector that is multiplied with the same weights several times.
constexpr std::string_view kLoop = R"mlir(
func.func @main(%a: tensor<1x32xf32>, %n: index) -> tensor<1x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = arith.constant dense<0.5> : tensor<32x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<1x32xf32> {
    %y = linalg.matmul ins(%x, %b : tensor<1x32xf32>, tensor<32x32xf32>) outs(%x : tensor<1x32xf32>) -> tensor<1x32xf32>
    scf.yield %y : tensor<1x32xf32>
  }
  return %r : tensor<1x32xf32>
}
)mlir";

std::vector<Way> withoutTiles(std::vector<Way> ways) {
  std::erase_if(ways, [](const Way& way) { return way.tile.has_value(); });
  return ways;
}

std::vector<Way> oneTilePerMethod(std::vector<Way> ways) {
  std::set<Method> seen;
  std::erase_if(ways, [&](const Way& way) { return !way.tile || !seen.insert(way.method).second; });
  return ways;
}

class LayerRewritesTest : public ::testing::Test {
 protected:
  std::vector<model::Layer> layersOf(const std::string& text) {
    return toolchain_.compiler.ask(toolchain_.request(text, "program.mlir"), iree::ListLayersJob{})
        .value();
  }

  /// Returns a request for the program with the layers computed in these ways.
  iree::CompileRequest rewritten(const std::string& text, const std::vector<LayerChoice>& choices) {
    iree::CompileRequest request = toolchain_.request(text, "program.mlir");
    const FlagSet set =
        withScript({"layers", flagsFor(choices), "", channelsLastScript(choices)}).value();
    request.flags.insert(request.flags.end(), set.flags.begin(), set.flags.end());
    return request;
  }

  /// Compiles and runs the program; returns its result.
  verify::Tensor resultOf(const iree::CompileRequest& request) {
    const auto description = toolchain_.compiler.describe(request).value().front();
    std::vector<std::string> inputs;
    for (const std::string& type : description.inputs) {
      const auto tensor = model::tensorTypeFromMlir(type).value();
      const auto file = toolchain_.folder.path() / fmt::format("in{}.bin", inputs.size());
      EXPECT_TRUE(verify::writeTensor(
          file, verify::makeInput(tensor, verify::Values::reals, 1, inputs.size())));
      inputs.push_back(fmt::format("{}=@{}", tensor.text(), file.string()));
    }
    const iree::Compiled compiled = toolchain_.compile(request);
    EXPECT_EQ(compiled.report.status, iree::CompileReport::Status::ok) << compiled.report.message;
    const std::vector<std::filesystem::path> files = {toolchain_.folder.path() / "out.bin"};
    const auto report = toolchain_.runner.run({compiled.module, "main", inputs}, files);
    EXPECT_EQ(report->status, iree::CallReport::Status::ok) << report->message;
    return verify::readTensor(files[0], model::tensorTypeFromMlir(description.results[0]).value())
        .value();
  }

  /// Checks the ways without tiles of the program's only layer against the compiler's default.
  void expectEqualResults(const std::string& text, const std::vector<Way>& ways) {
    const auto layers = layersOf(text);
    ASSERT_EQ(layers.size(), 1U) << text;
    EXPECT_EQ(withoutTiles(waysFor(layers[0])), ways) << text;
    expectEqual(text, layers[0], ways);
  }

  /// Checks one tile of each method.
  void expectEqualTiled(const std::string& text, const std::vector<Method>& methods) {
    const auto layers = layersOf(text);
    ASSERT_EQ(layers.size(), 1U) << text;
    const std::vector<Way> ways = oneTilePerMethod(waysFor(layers[0]));
    std::vector<Method> found;
    for (const Way& way : ways) {
      found.push_back(way.method);
    }
    EXPECT_EQ(found, methods) << text;
    expectEqual(text, layers[0], ways);
  }

  void expectEqual(const std::string& text, const model::Layer& layer,
                   const std::vector<Way>& ways) {
    const verify::Tensor expected = resultOf(toolchain_.request(text, "program.mlir"));
    for (const Way& way : ways) {
      const verify::Tensor actual = resultOf(rewritten(text, {{layer, way}}));
      const auto mismatch =
          verify::compare(actual, expected, verify::toleranceFor(expected.type.element, 30))
              .value();
      EXPECT_FALSE(mismatch) << nameOf(way) << ": " << text;
    }
  }

  /// Returns true if the program has a packed matmul under a way of its only layer.
  bool isPacked(const std::string& text, const Way& way) {
    const auto request = rewritten(text, {{layersOf(text).at(0), way}});
    const auto roots = toolchain_.compiler.ask(request, iree::ListRootsJob{}).value();
    return std::any_of(roots.begin(), roots.end(), [](const model::RootOperation& root) {
      return root.kind == model::RootKind::mmt4d;
    });
  }

  iree::TestToolchain toolchain_;
};

const std::vector<Way> kAllWays = {Way::direct, Way::matmul, Way::packedMatmul, Way::perRow,
                                   Way::perPosition};
/// For filters of one row or column.
const std::vector<Way> kSlimWays = {Way::direct, Way::matmul, Way::packedMatmul, Way::perPosition};

TEST_F(LayerRewritesTest, KeepsResultsOfConvolutions) {
  expectEqualResults(
      programWith({"conv_2d_nchw_fchw", "1x8x10x12xf32", "16x8x3x3xf32", "1x16x8x10xf32"}),
      kAllWays);
  expectEqualResults(
      programWith({"conv_2d_nchw_fchw", "2x8x11x11xf32", "16x8x3x1xf32", "2x16x4x6xf32",
                   "dense<2> : tensor<2xi64>", "dense<[2, 1]> : tensor<2xi64>"}),
      kSlimWays);
  expectEqualResults(
      programWith({"conv_2d_nhwc_hwcf", "1x10x10x8xf16", "3x3x8x16xf16", "1x8x8x16xf16"}),
      kAllWays);
  expectEqualResults(
      programWith({"conv_2d_nhwc_fhwc", "1x10x10x8xf32", "16x3x3x8xf32", "1x8x8x16xf32"}),
      kAllWays);
}

TEST_F(LayerRewritesTest, KeepsResultsWithRegisterTiles) {
  expectEqualTiled(
      programWith({"conv_2d_nchw_fchw", "2x4x7x9xf32", "32x4x3x3xf32", "2x32x5x7xf32"}),
      {Method::matmul, Method::perRow, Method::perPosition, Method::atOnce});
  expectEqualTiled(std::string(kMatmul), {Method::matmul});
}

TEST_F(LayerRewritesTest, KeepsResultsWithPaddedRegisterTiles) {
  expectEqualTiled(
      programWith({"conv_2d_nchw_fchw", "1x4x7x9xf32", "20x4x3x3xf32", "1x20x5x7xf32"}),
      {Method::matmul, Method::perRow, Method::perPosition, Method::atOnce});
  expectEqualTiled(std::string(kBatchMatmul), {Method::matmul});
  expectEqualTiled(std::string(kVectorProduct), {Method::matmul});
}

TEST_F(LayerRewritesTest, KeepsResultsOfGroupedConvolutionsWithRegisterTiles) {
  expectEqualTiled(
      programWith({"conv_2d_ngchw_gfchw", "1x3x4x8x8xf32", "3x12x4x3x3xf32", "1x3x12x6x6xf32"}),
      {Method::perPosition, Method::atOnce});
  expectEqualTiled(
      programWith({"conv_2d_ngchw_fgchw", "2x2x4x5x5xf32", "36x2x4x1x1xf32", "2x2x36x5x5xf32"}),
      {Method::matmul});
}

TEST_F(LayerRewritesTest, FindsFixedWeights) {
  EXPECT_TRUE(layersOf(std::string(kVectorProduct)).at(0).fixedWeights);
  EXPECT_FALSE(layersOf(std::string(kBatchMatmul)).at(0).fixedWeights);
  // The compiler would reorder the weights in every iteration.
  EXPECT_FALSE(layersOf(std::string(kLoop)).at(0).fixedWeights);
}

TEST_F(LayerRewritesTest, KeepsResultsOfHalfPrecisionWithRegisterTiles) {
  expectEqualTiled(
      programWith({"conv_2d_nhwc_hwcf", "1x6x13x8xf16", "1x1x8x16xf16", "1x6x13x16xf16"}),
      {Method::matmul});
}

TEST(RegisterTiles, FillRegistersWithFullVectors) {
  const knobs::CpuLimits limits{.vectorBytes = 32, .registers = 16};
  const auto tiles = registerTiles({.rows = 48, .columns = 64, .sum = 32}, limits, 2);
  ASSERT_EQ(tiles.size(), 2U);
  EXPECT_EQ(tiles[0], (RegisterTile{.rows = 6, .columns = 16}));
}

/// A matmul of 400x192x128 takes 78 us in tiles of 5x64 and 99 us in tiles of 6x64.
TEST(RegisterTiles, DivideRowsIfThatCostsLittle) {
  const knobs::CpuLimits limits{.vectorBytes = 64, .registers = 32};
  const auto rowsOfTile = [&](std::int64_t rows) {
    return registerTiles({.rows = rows, .columns = 128, .sum = 192}, limits, 1).at(0).rows;
  };
  EXPECT_EQ(rowsOfTile(400), 5);
  EXPECT_EQ(rowsOfTile(48), 6);
  EXPECT_EQ(rowsOfTile(196), 6);  // a tile of four rows divides it, but loads more
}

TEST(RegisterTiles, DivideColumns) {
  const knobs::CpuLimits limits{.vectorBytes = 32, .registers = 16};
  for (const RegisterTile& tile :
       registerTiles({.rows = 169, .columns = 192, .sum = 512}, limits, 5)) {
    EXPECT_EQ(192 % tile.columns, 0);
    EXPECT_LE((tile.rows + 1) * tile.columns / 8 + 1, 16);
  }
  EXPECT_THAT(registerTiles({.rows = 9, .columns = 2, .sum = 4}, limits, 5), IsEmpty());
}

/// The compiler does not vectorize others.
TEST(RegisterTiles, HavePowersOfTwoAsColumns) {
  const knobs::CpuLimits limits{.vectorBytes = 64, .registers = 32};
  for (const std::int64_t columns : {10, 24, 48, 68, 192, 255}) {
    const auto tiles = registerTiles({.rows = 49, .columns = columns, .sum = 32}, limits, 4);
    ASSERT_EQ(tiles.size(), 4U) << columns;
    for (const RegisterTile& tile : tiles) {
      EXPECT_EQ(tile.columns & (tile.columns - 1), 0) << columns;
    }
  }
}

TEST(RegisterTiles, PadColumnsIfVectorsWouldBeNarrow) {
  const knobs::CpuLimits limits{.vectorBytes = 64, .registers = 32};
  EXPECT_EQ(registerTiles({.rows = 48, .columns = 24, .sum = 32}, limits, 1).at(0).columns, 32);
  EXPECT_EQ(registerTiles({.rows = 48, .columns = 48, .sum = 32}, limits, 1).at(0).columns, 16);
  EXPECT_EQ(registerTiles({.rows = 1, .columns = 1000, .sum = 512}, limits, 1).at(0).columns, 64);
}

TEST(PanelConfig, PeelsRestAndDividesRows) {
  const knobs::CpuLimits limits{.vectorBytes = 32, .registers = 16, .cores = 2};
  const PanelLoops loops{.rows = {1600}, .panels = 1, .columns = 16, .sum = 64, .rowBytes = 256};
  const PanelConfig config = panelConfig(loops, {.rows = 6, .columns = 16}, limits);
  EXPECT_TRUE(config.compilationInfo.contains("distribution = [198, 16, 0]"))
      << config.compilationInfo;
  EXPECT_TRUE(config.compilationInfo.contains("enable_loop_peeling"));
  EXPECT_FALSE(config.loweringConfig.contains("distribution"));
}

TEST(PanelConfig, DividesPanelsOfVectorProducts) {
  const knobs::CpuLimits limits{.vectorBytes = 32, .registers = 16, .cores = 2};
  const PanelLoops loops{.rows = {}, .panels = 64, .columns = 16, .sum = 2048, .rowBytes = 8192};
  const PanelConfig config = panelConfig(loops, {.rows = 1, .columns = 16}, limits);
  EXPECT_TRUE(config.compilationInfo.contains("distribution = [8, 16, 0]"))
      << config.compilationInfo;
  EXPECT_FALSE(config.compilationInfo.contains("enable_loop_peeling"));
}

TEST(PanelConfig, TakesOneGroupPerWorkgroup) {
  const knobs::CpuLimits limits{.vectorBytes = 32, .registers = 16};
  const PanelLoops loops{
      .rows = {36}, .groups = 3, .panels = 1, .columns = 16, .sum = 4, .rowBytes = 16};
  const PanelConfig config = panelConfig(loops, {.rows = 6, .columns = 16}, limits);
  EXPECT_TRUE(config.compilationInfo.contains("distribution = [36, 1, 16, 0]"))
      << config.compilationInfo;
}

TEST_F(LayerRewritesTest, KeepsResultsOfPixelwiseConvolutions) {
  expectEqualResults(
      programWith({"conv_2d_nchw_fchw", "1x16x6x6xf32", "24x16x1x1xf32", "1x24x6x6xf32"}),
      {Way::direct, Way::matmul, Way::packedMatmul});
  expectEqualResults(programWith({"conv_2d_nchw_fchw", "1x16x6x6xf32", "24x16x1x1xf32",
                                  "1x24x3x3xf32", "dense<2> : tensor<2xi64>"}),
                     kSlimWays);
}

TEST_F(LayerRewritesTest, KeepsResultsOfIntegerConvolutions) {
  expectEqualResults(
      programWith({"conv_2d_nchw_fchw", "1x8x10x10xi8", "16x8x3x3xi8", "1x16x8x8xi32"}), kAllWays);
}

TEST_F(LayerRewritesTest, KeepsResultsOfOneDimensionalConvolutions) {
  constexpr const char* kOne = "dense<1> : tensor<1xi64>";
  expectEqualResults(
      programWith({"conv_1d_ncw_fcw", "1x8x20xf32", "16x8x5xf32", "1x16x16xf32", kOne, kOne}),
      kSlimWays);
  expectEqualResults(programWith({"conv_1d_nwc_wcf", "2x21x8xf32", "5x8x16xf32", "2x9x16xf32",
                                  "dense<2> : tensor<1xi64>", kOne}),
                     kSlimWays);
  expectEqualResults(
      programWith({"depthwise_conv_1d_ncw_cw", "1x8x20xf32", "8x5xf32", "1x8x16xf32", kOne, kOne}),
      {Way::direct});
}

TEST_F(LayerRewritesTest, KeepsResultsOfDepthwiseConvolutions) {
  for (const auto& [image, result, strides, dilations] : std::vector<std::array<const char*, 4>>{
           {"1x16x12x12", "1x16x10x10", "dense<1> : tensor<2xi64>", "dense<1> : tensor<2xi64>"},
           {"2x16x13x13", "2x16x6x11", "dense<[2, 1]> : tensor<2xi64>", "dense<1> : vector<2xi64>"},
           {"1x16x12x12", "1x16x8x8", "dense<1> : tensor<2xi64>", "dense<2> : tensor<2xi64>"}}) {
    for (const std::string element : {"f32", "f16"}) {
      expectEqualResults(programWith({"depthwise_conv_2d_nchw_chw",
                                      fmt::format("{}x{}", image, element), "16x3x3x" + element,
                                      fmt::format("{}x{}", result, element), strides, dilations}),
                         {Way::direct});
    }
  }
  expectEqualResults(
      programWith({"depthwise_conv_2d_nchw_chw", "1x16x12x12xi8", "16x3x3xi8", "1x16x10x10xi32"}),
      {Way::direct});
}

TEST_F(LayerRewritesTest, KeepsResultsOfGroupedConvolutions) {
  expectEqualResults(
      programWith({"conv_2d_ngchw_gfchw", "1x3x4x8x8xf32", "3x8x4x3x3xf32", "1x3x8x6x6xf32"}),
      {Way::perPosition});
  expectEqualResults(
      programWith({"conv_2d_ngchw_fgchw", "1x3x4x8x8xf32", "8x3x4x1x1xf32", "1x3x8x8x8xf32"}),
      {Way::perPosition});
}

TEST_F(LayerRewritesTest, KeepsResultsOfPoolingsConcatenationsAndSlices) {
  expectEqualResults(programWith({"pooling_nchw_max", "1x8x9x9xf32", "3x3xf32", "1x8x4x4xf32",
                                  "dense<2> : tensor<2xi64>"}),
                     {Way::direct});
  expectEqualResults(programWith({"pooling_nchw_sum", "1x8x7x7xf32", "7x7xf32", "1x8x1x1xf32"}),
                     {Way::direct});
  expectEqualResults(std::string(kConcat), {Way::direct});
  expectEqualResults(std::string(kSlice), {Way::direct});
}

TEST_F(LayerRewritesTest, KeepsResultsOfPackedMatmuls) {
  expectEqualResults(std::string(kMatmul), {Way::matmul, Way::packedMatmul});
  EXPECT_TRUE(isPacked(std::string(kMatmul), Way::packedMatmul));
  EXPECT_FALSE(isPacked(std::string(kMatmul), Way::matmul));
}

/// The compiler vectorizes only this layout, and folds plain transposes back into the convolution.
TEST_F(LayerRewritesTest, MovesChannelsOfDepthwiseConvolutionsLast) {
  const std::string text =
      programWith({"depthwise_conv_2d_nchw_chw", "1x16x12x12xf32", "16x3x3xf32", "1x16x10x10xf32"});
  const auto roots =
      toolchain_.compiler
          .ask(rewritten(text, {{layersOf(text).at(0), Way::direct}}), iree::ListRootsJob{})
          .value();
  EXPECT_TRUE(std::any_of(roots.begin(), roots.end(), [](const model::RootOperation& root) {
    return root.translationInfo.contains("ConvTileAndDecomposeExpert");
  }));
}

/// Two convolutions with elementwise operations and padding between them.
constexpr std::string_view kChain = R"mlir(
func.func @main(%i: tensor<1x16x14x14xf32>) -> tensor<1x16x12x12xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<16x3x3xf32>
  %v = arith.constant dense<0.25> : tensor<16x16x3x3xf32>
  %e = tensor.empty() : tensor<1x16x12x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %a = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%i, %w : tensor<1x16x14x14xf32>, tensor<16x3x3xf32>) outs(%f : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<1x16x12x12xf32>) outs(%e : tensor<1x16x12x12xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.maximumf %x, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x16x12x12xf32>
  %p = tensor.pad %b low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<1x16x12x12xf32> to tensor<1x16x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %v : tensor<1x16x14x14xf32>, tensor<16x16x3x3xf32>) outs(%f : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  return %r : tensor<1x16x12x12xf32>
}
)mlir";

TEST_F(LayerRewritesTest, CancelsLayoutChangesBetweenLayers) {
  const std::string text(kChain);
  std::vector<LayerChoice> choices;
  for (const model::Layer& layer : layersOf(text)) {
    choices.push_back({layer, waysFor(layer).back()});
  }
  ASSERT_EQ(choices.size(), 2U);
  const auto dispatches =
      toolchain_.compiler.ask(rewritten(text, choices), iree::ListDispatchesJob{}).value();
  // One transpose at the input; that of the result is part of the last dispatch or its own.
  std::size_t transposes = 0;
  for (const auto& dispatch : dispatches) {
    transposes += dispatch.dispatch.contains("transpose") ? 1 : 0;
  }
  EXPECT_LE(transposes, 2U);
  const verify::Tensor expected = resultOf(toolchain_.request(text, "program.mlir"));
  const auto mismatch = verify::compare(resultOf(rewritten(text, choices)), expected,
                                        verify::toleranceFor(expected.type.element, 1000))
                            .value();
  EXPECT_FALSE(mismatch);
}

TEST_F(LayerRewritesTest, ListsEqualLayersOnce) {
  const auto layers = layersOf(std::string(kChain));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].op, "linalg.depthwise_conv_2d_nchw_chw");
  EXPECT_EQ(layers[0].calls, 1);
  EXPECT_THAT(layers[1].sizes("strides", 2), ElementsAre(1, 1));
  EXPECT_EQ(countWork(layers[1]), 16.0 * 144 * 16 * 9);
}

TEST_F(LayerRewritesTest, LeavesOtherShapesAlone) {
  const std::string text =
      programWith({"depthwise_conv_2d_nchw_chw", "1x16x12x12xf32", "16x3x3xf32", "1x16x10x10xf32"});
  model::Layer other = layersOf(text).at(0);
  other.operands[0].shape[1] = other.operands[1].shape[0] = other.operands[2].shape[1] = 24;
  other.result.shape[1] = 24;
  const auto request = rewritten(text, {{other, Way::direct}});
  const auto plain = toolchain_.compiler.ask(request, iree::ListRootsJob{}).value();
  EXPECT_TRUE(std::none_of(plain.begin(), plain.end(), [](const model::RootOperation& root) {
    return root.translationInfo.contains("ConvTileAndDecomposeExpert");
  }));
}

TEST(LayerWays, LeavesDynamicAndUnknownOperationsAlone) {
  model::Layer layer;
  layer.op = "linalg.conv_3d_ndhwc_dhwcf";
  EXPECT_THAT(waysFor(layer), IsEmpty());
  layer.op = "tensor.concat";
  layer.operands = {model::TensorType{{2, 3}}, model::TensorType{{2, 3}}};
  layer.result = model::TensorType{{4, 3}};
  layer.attributes["dim"] = "0 : i64";
  EXPECT_THAT(waysFor(layer), IsEmpty());
}

TEST(LayerWays, RestoresNames) {
  for (const Way& way : kAllWays) {
    EXPECT_EQ(wayFrom(nameOf(way)), way);
  }
  const Way tiled{Method::atOnce, RegisterTile{.rows = 6, .columns = 16}};
  EXPECT_EQ(nameOf(tiled), "at once, 6x16");
  EXPECT_EQ(wayFrom(nameOf(tiled)), tiled);
  EXPECT_EQ(wayFrom("at once, 6"), std::nullopt);
  EXPECT_EQ(wayFrom("by hand"), std::nullopt);
}

}  // namespace
}  // namespace hone::tune
