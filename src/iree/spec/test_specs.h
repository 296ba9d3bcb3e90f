#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/spec/spec.h"
#include "iree/spec/spec_file.h"

namespace hone::iree {

/// Returns a CPU compilation_info that differs from the compiler's default.
inline std::string cpuInfo(const std::string& distribution, const std::string& parallel,
                           const std::string& reduction) {
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = "
      "[{}], vector_common_parallel = [{}], vector_reduction = [{}]>, translation_info = "
      "<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>",
      distribution, parallel, reduction);
}

/// Returns a function with an m x n x k matmul %m, followed by the operations in `rest`.
inline std::string matmulFunction(const std::string& name, int m, int n, int k,
                                  const std::string& rest = "") {
  return fmt::format(
      R"(func.func @{name}(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>, %bias: tensor<{n}xf32>)
    -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{m}x{n}xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %m = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
      outs(%fill : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
{rest}  return %{result} : tensor<{m}x{n}xf32>
}}
)",
      fmt::arg("name", name), fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k),
      fmt::arg("rest", rest), fmt::arg("result", rest.empty() ? "m" : "r"));
}

/// Returns operations that add the bias to %m and apply a ReLU.
inline std::string biasRelu(int m, int n) {
  return fmt::format(
      R"(  %r = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%m, %bias : tensor<{0}x{1}xf32>, tensor<{1}xf32>) outs(%empty : tensor<{0}x{1}xf32>) {{
  ^bb0(%in: f32, %add: f32, %out: f32):
    %sum = arith.addf %in, %add : f32
    %positive = arith.maximumf %sum, %zero : f32
    linalg.yield %positive : f32
  }} -> tensor<{0}x{1}xf32>
)",
      m, n);
}

/// Provides a compiler, and programs and specs in a scratch folder.
class SpecTest : public ::testing::Test {
 protected:
  CompileRequest request(const std::string& text, const std::string& target = "local") {
    const auto file = folder_.path() / (hashBytes(text).substr(0, 12) + ".mlir");
    EXPECT_TRUE(writeFile(file, text));
    return {file, hashBytes(text), targetFrom(target)->flags, {}};
  }
  std::filesystem::path file(const std::string& text) {
    const auto path = folder_.path() / (hashBytes(text).substr(0, 12) + ".spec.mlir");
    EXPECT_TRUE(writeFile(path, text));
    return path;
  }
  /// Writes the entries as a spec and parses it.
  Spec makeSpec(const std::vector<SpecEntry>& entries) {
    const auto text = specText(entries);
    EXPECT_TRUE(text);
    auto spec = readSpec(compiler_, file(text.value_or("")));
    EXPECT_TRUE(spec) << spec.error().message << "\n" << *text;
    return spec.value_or(Spec{});
  }
  /// Returns the matcher of the only dispatch with a root whose name contains `part`.
  DispatchMatcher matcherIn(const CompileRequest& request, const std::string& part = "") {
    const auto all = queryMatchers(compiler_, request);
    EXPECT_TRUE(all) << all.error().message;
    DispatchMatcher found;
    int count = 0;
    for (const DispatchMatcher& one : all.value_or(std::vector<DispatchMatcher>())) {
      if (one.dispatch.contains(part)) {
        found = one;
        ++count;
      }
    }
    EXPECT_EQ(count, 1) << part;
    return found;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-spec-test").value();
  Compiler compiler_{CompilePool::start({findInstallation("")->compilerLibrary(), 2, {}}).value(),
                     ArtifactCache(folder_.path() / "cache"),
                     Limits{std::chrono::seconds(120), std::uint64_t{8} << 30U}};
};

}  // namespace hone::iree
