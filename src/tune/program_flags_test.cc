#include "tune/program_flags.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/subprocess.h"
#include "iree/compiler.h"
#include "iree/installation.h"

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

/// The configured IR of the convolution with a flag set; "" and a failure where it does not
/// compile.
std::string configuredWith(const FlagSet& set) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags-test").value();
  const auto source = folder.path() / "conv.mlir";
  EXPECT_TRUE(writeFile(source, std::string(kConvolution)));
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

TEST(ProgramFlags, TheCompilerTakesAllForTheCpu) {
  const auto sets = flagSets(iree::targetFrom("local").value());
  for (const FlagSet& set : sets) {
    EXPECT_FALSE(configuredWith(set).empty()) << set.name;
    EXPECT_FALSE(set.flags.empty());
    EXPECT_FALSE(set.why.empty());
  }
}

TEST(ProgramFlags, AScriptMakesAMatmulOfAConvolution) {
  const auto sets = flagSets(iree::targetFrom("local").value());
  const auto set = std::find_if(sets.begin(), sets.end(), [](const FlagSet& one) {
    return one.name == "convolutions as matmuls, not packed";
  });
  ASSERT_NE(set, sets.end());
  EXPECT_NE(configuredWith(*set).find("matmul"), std::string::npos);
  EXPECT_EQ(configuredWith({"default", {}, ""}).find("matmul"), std::string::npos);
}

TEST(ProgramFlags, TheLibraryTakesThemToo) {
  const ScratchFolder folder = ScratchFolder::create("hone-flags-test").value();
  const auto source = folder.path() / "conv.mlir";
  ASSERT_TRUE(writeFile(source, std::string(kConvolution)));
  const auto script = folder.path() / "script.mlir";
  iree::Compiler compiler(
      iree::CompilePool::start({iree::findInstallation("")->compilerLibrary(), 2, {}}).value(),
      iree::ArtifactCache(folder.path() / "cache"),
      Limits{std::chrono::seconds(120), std::uint64_t{8} << 30U});
  const iree::Target target = iree::targetFrom("local").value();
  const auto sets = flagSets(target);
  std::vector<iree::CompileRequest> requests;
  for (const FlagSet& set : sets) {
    std::vector<std::string> flags = target.flags;
    flags.insert(flags.end(), set.flags.begin(), set.flags.end());
    if (!set.preprocessing.empty()) {
      ASSERT_TRUE(writeFile(script, set.preprocessing));
      flags.push_back("--iree-preprocessing-transform-spec-filename=" + script.string());
    }
    requests.push_back({source, hashOf(kConvolution), flags, {}});
  }
  const auto compiled = compiler.compileAll(requests, {}).value();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    EXPECT_EQ(compiled[i].report.status, iree::CompileReport::Status::ok)
        << sets[i].name << ": " << compiled[i].report.message;
  }
}

}  // namespace
}  // namespace hone::tune
