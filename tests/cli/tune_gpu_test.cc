// Tests of `hone tune --compile-only` for GPUs that this machine lacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kTwo = R"(
func.func @two(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>, %c: tensor<4x128x256xf16>,
               %d: tensor<4x256x128xf16>) -> (tensor<256x256xf32>, tensor<4x128x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<256x256xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r0 = linalg.matmul ins(%a, %b : tensor<256x512xf16>, tensor<512x256xf16>)
      outs(%i0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %e1 = tensor.empty() : tensor<4x128x128xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %r1 = linalg.batch_matmul ins(%c, %d : tensor<4x128x256xf16>, tensor<4x256x128xf16>)
      outs(%i1 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  return %r0, %r1 : tensor<256x256xf32>, tensor<4x128x128xf32>
}
)";

class TuneGpu : public testing::Test {
 protected:
  CommandResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tune", "--target", "rocm:gfx942"});
    return box_.hone(arguments);
  }
  /// Returns the only dispatch in the JSON of --compile-only.
  static nlohmann::json findDispatch(const CommandResult& ran) {
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.json().at(0).at("dispatches").at(0);
  }

  Sandbox box_;
};

TEST_F(TuneGpu, HasKnobsDespiteCompilerCrash) {
  box_.write("two.mlir", kTwo);
  const CommandResult ran = run({"two.mlir", "--explain", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  ASSERT_EQ(json.size(), 2u);
  for (const auto& subject : json) {  // the query about the batch matmul crashes the compiler
    EXPECT_FALSE(subject.contains("why_not")) << subject;
    EXPECT_TRUE(subject.contains("space")) << subject;
  }
}

TEST_F(TuneGpu, ExplainsKnobsWithNamesAndCompilersValues) {
  box_.write("two.mlir", kTwo);
  const CommandResult all = run({"two.mlir", "--explain"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("(TileAndFuse)"), HasSubstr("(VectorDistribute)"),
                             HasSubstr("(MFMA_F32_16x16x16_F16)")));
  const CommandResult one = run({"two.mlir", "--explain", "--dispatches", "dispatch_0"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, testing::ContainsRegex("mma_idx .*\\[. \\(MFMA_F32"))
      << "the compiler's value is marked";
}

TEST_F(TuneGpu, CompilesDistinctCandidatesAndResumes) {
  const std::vector<std::string> command = {
      "--problem", "matmul_256x256x512_f16t_f16t_f32t", "--compile-only", "-o", "there", "--json",
      "--budget"};
  auto fewer = command;
  fewer.emplace_back("4trials");
  const auto first = findDispatch(run(fewer));
  EXPECT_EQ(first.at("different"), 4);
  const auto readConfigs = [&] {
    std::vector<std::string> names;
    std::ifstream file(box_.work() / "there/candidates.json");
    const auto folder = nlohmann::json::parse(file);
    for (const auto& one : folder.at("dispatches").at(0).at("candidates")) {
      names.push_back(one.at("config").at("name"));
    }
    std::ranges::sort(names);  // the folder is ordered by estimates
    return names;
  };
  const auto before = readConfigs();
  auto more = command;
  more.emplace_back("6trials");
  const auto second = findDispatch(run(more));
  EXPECT_EQ(second.at("different"), 6);
  const auto after = readConfigs();
  ASSERT_GE(after.size(), before.size());
  EXPECT_TRUE(std::ranges::includes(after, before)) << "earlier candidates are kept";
}

TEST_F(TuneGpu, UsesMatrixInstructionsInAttention) {
  const auto made =
      findDispatch(run({"--problem", "attention_4x256x256x64_f16t_f16t_f16t", "--compile-only",
                        "--budget", "6trials", "-o", "there", "--json"}));
  EXPECT_GE(made.at("compiled"), 3) << made;
  EXPECT_EQ(made.at("compiled"), made.at("different"));
  std::ifstream file(box_.work() / "there/candidates.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(
      text, AllOf(HasSubstr("decomposition_config"), HasSubstr("qk_attrs"), HasSubstr("MFMA_F32")));
}

TEST_F(TuneGpu, RejectsSpecAmongCompilerFlags) {
  box_.write("two.mlir", kTwo);
  expectError(run({"two.mlir", "--explain", "--", "--iree-codegen-tuning-spec-path=spec.mlir"}), 2,
              {"--iree-codegen-tuning-spec-path", "--starter-spec"});
}

}  // namespace
}  // namespace hone::test
