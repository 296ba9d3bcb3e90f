#include "tune/program/program_flags.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/process/subprocess.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/installation.h"

namespace hone::tune {
namespace {

constexpr std::string_view kConvolution = R"mlir(
func.func @main(%i: tensor<2x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) -> tensor<2x6x6x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x6x32xf32>) -> tensor<2x6x6x32xf32>
  %r = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%i, %w : tensor<2x8x8x16xf32>, tensor<32x3x3x16xf32>) outs(%f : tensor<2x6x6x32xf32>) -> tensor<2x6x6x32xf32>
  return %r : tensor<2x6x6x32xf32>
}
)mlir";

constexpr std::string_view kLongSum = R"mlir(
func.func @main(%a: tensor<32x65536xf32>, %b: tensor<65536x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<32x65536xf32>, tensor<65536x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
)mlir";

/// Returns the configured IR with a flag set; "" and a test failure if it does not compile.
std::string configuredWith(const FlagSet& set, std::string_view program = kConvolution) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags-test").value();
  const auto source = folder.path() / "conv.mlir";
  EXPECT_TRUE(writeFile(source, std::string(program)));
  const auto installation = iree::findInstallation("").value();
  std::vector<std::string> argv = {
      (installation.compilerLibrary().parent_path() / "iree-compile").string(), source.string(),
      "-o", "-", "--compile-to=executable-configurations"};
  const iree::Target target = iree::targetFrom("local").value();
  argv.insert(argv.end(), target.flags.begin(), target.flags.end());
  argv.insert(argv.end(), set.flags.begin(), set.flags.end());
  if (!set.preprocessing.empty()) {
    const auto script = folder.path() / "script.mlir";
    EXPECT_TRUE(writeFile(script, set.preprocessing));
    argv.push_back("--iree-preprocessing-transform-spec-filename=" + script.string());
  }
  const auto finished = runCommand({argv, {}, {}}).value();
  EXPECT_FALSE(finished.out.empty()) << set.name << ": " << finished.err;
  return finished.out;
}

std::optional<FlagSet> findSet(std::string_view name) {
  const auto sets = flagSets(iree::targetFrom("local").value(), {});
  const auto set =
      std::find_if(sets.begin(), sets.end(), [&](const FlagSet& one) { return one.name == name; });
  return set == sets.end() ? std::nullopt : std::optional(*set);
}

TEST(ProgramFlags, CompilerAcceptsAllCpuFlagSets) {
  const auto sets = flagSets(iree::targetFrom("local").value(), {});
  for (const FlagSet& set : sets) {
    EXPECT_FALSE(configuredWith(set).empty()) << set.name;
    EXPECT_FALSE(configuredWith(set, kLongSum).empty()) << set.name;
    EXPECT_FALSE(set.flags.empty() && set.preprocessing.empty());
    EXPECT_FALSE(set.why.empty());
  }
}

TEST(ProgramFlags, ScriptConvertsConvolutionToMatmul) {
  const auto set = findSet("convolutions as matmuls, not packed");
  ASSERT_TRUE(set);
  EXPECT_NE(configuredWith(*set).find("matmul"), std::string::npos);
  EXPECT_EQ(configuredWith({"default", {}, ""}).find("matmul"), std::string::npos);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string dilated() {
  const std::string apart =
      replaced(std::string(kConvolution), "dilations = dense<1>", "dilations = dense<2>");
  return replaced(apart, "6x6", "4x4");
}

constexpr std::string_view kChannelsFirst = R"mlir(
func.func @main(%i: tensor<2x16x10x10xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x32x8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%i, %w : tensor<2x16x10x10xf32>, tensor<32x16x3x3xf32>) outs(%f : tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  return %r : tensor<2x32x8x8xf32>
}
)mlir";

/// The compiler's convolution pipeline supports only these layouts.
TEST(ProgramFlags, ChannelsLastVectorizesEveryConvolution) {
  const auto set = findSet("channels last");
  ASSERT_TRUE(set);
  const std::string half =
      replaced(replaced(std::string(kConvolution), "xf32", "xf16"), ": f32", ": f16");
  for (const std::string& program :
       {std::string(kConvolution), dilated(), half, std::string(kChannelsFirst)}) {
    constexpr std::string_view kPipeline = "ConvTileAndDecomposeExpert";
    EXPECT_TRUE(configuredWith(*set, program).contains(kPipeline)) << program;
  }
}

TEST(ProgramFlags, PerPositionConvertsEveryConvolutionToMatmuls) {
  const auto set = findSet("convolutions per filter position");
  ASSERT_TRUE(set);
  const std::string oneColumn =
      replaced(replaced(std::string(kConvolution), "32x3x3x16", "32x3x1x16"), "6x6", "6x8");
  const std::string eleven = replaced(
      replaced(replaced(std::string(kConvolution), "32x3x3x16", "32x11x11x16"), "8x8", "14x14"),
      "6x6", "4x4");
  for (const std::string& program :
       {std::string(kConvolution), dilated(), oneColumn, eleven, std::string(kChannelsFirst)}) {
    const std::string configured = configuredWith(*set, program);
    EXPECT_TRUE(configured.contains("matmul_like")) << program;
    EXPECT_FALSE(configured.contains("_conv_")) << program;
    EXPECT_FALSE(configured.contains("scf.for")) << program;
  }
}

TEST(ProgramFlags, SplitsLongReductionsForEveryTarget) {
  for (const char* target : {"local", "vulkan", "rocm:gfx942"}) {
    const auto sets = flagSets(iree::targetFrom(target).value(), {});
    EXPECT_TRUE(std::any_of(sets.begin(), sets.end(), [](const FlagSet& one) {
      return one.name == "split reduction";
    })) << target;
  }
  const auto set = findSet("split reduction");
  ASSERT_TRUE(set);
  EXPECT_TRUE(configuredWith(*set, kLongSum).contains("dispatch_1"));
  EXPECT_FALSE(configuredWith({"default", {}, ""}, kLongSum).contains("dispatch_1"));
}

TEST(ProgramFlags, ExtendsSetByFlagsThatItLacks) {
  const auto packed = findSet("data tiling, microkernels");
  ASSERT_TRUE(packed);
  std::vector<std::string> names;
  for (const FlagSet& set : extendedSets(*packed)) {
    names.push_back(set.name);
    EXPECT_GT(set.flags.size(), packed->flags.size());
    EXPECT_FALSE(configuredWith(set).empty()) << set.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"data tiling, microkernels, inner tiles",
                                             "data tiling, microkernels, optimization level 3",
                                             "data tiling, microkernels, no unrolling",
                                             "data tiling, microkernels, split reduction"}));
}

TEST(ProgramFlags, TriesEarlierWinnersFirst) {
  std::vector<FlagSet> sets = {{"a", {"--a"}, ""}, {"b", {"--b"}, ""}, {"c", {"--c"}, ""}};
  rankByGains({{"c", 1}, {"b, more", 2}, {"ab", 9}}, sets);
  EXPECT_EQ(sets[0].name, "b");
  EXPECT_EQ(sets[1].name, "c");
  EXPECT_EQ(sets[2].name, "a");
}

TEST(ProgramFlags, AddsScriptOnce) {
  FlagSet set = *findSet("channels last");
  set = withScript(set).value();
  const auto flags = set.flags;
  EXPECT_EQ(flags.size(), 1U);
  EXPECT_EQ(withScript(set)->flags, flags);
}

TEST(ProgramFlags, CompilerLibraryAcceptsFlagSets) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags-test").value();
  const auto source = folder.path() / "conv.mlir";
  ASSERT_TRUE(writeFile(source, std::string(kConvolution)));
  iree::Compiler compiler(
      iree::CompilePool::start({iree::findInstallation("")->compilerLibrary(), 2, {}}).value(),
      iree::ArtifactCache(folder.path() / "cache"),
      Limits{std::chrono::seconds(120), std::uint64_t{8} << 30U});
  const iree::Target target = iree::targetFrom("local").value();
  const auto sets = flagSets(target, {});
  std::vector<iree::CompileRequest> requests;
  for (const FlagSet& set : sets) {
    std::vector<std::string> flags = target.flags;
    flags.insert(flags.end(), set.flags.begin(), set.flags.end());
    if (!set.preprocessing.empty()) {
      const auto script = folder.path() / fmt::format("script{}.mlir", requests.size());
      ASSERT_TRUE(writeFile(script, set.preprocessing));
      flags.push_back("--iree-preprocessing-transform-spec-filename=" + script.string());
    }
    requests.push_back({source, hashBytes(kConvolution), flags, {}});
  }
  const auto compiled = compiler.compileAll(requests, {}).value();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    EXPECT_EQ(compiled[i].report.status, iree::CompileReport::Status::ok)
        << sets[i].name << ": " << compiled[i].report.message;
  }
}

}  // namespace
}  // namespace hone::tune
