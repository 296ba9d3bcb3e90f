// Targets without a device on this machine are compile-only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Targets : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::vector<std::string> bench(const std::string& file) const {
    return {"bench", file, "--target", GetParam()};
  }

  Sandbox box_;
};

TEST_P(Targets, AreCompileOnlyWithoutDevice) {
  box_.write("m.mlir", matmulText(64, 64, 64));
  const CommandResult text = box_.hone(bench("m.mlir"));
  if (!text.out.contains("compiled only")) {
    GTEST_SKIP() << "this machine has a device for " << GetParam();
  }
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("nothing measured"));
  EXPECT_THAT(text.out, HasSubstr("compiled"));
  EXPECT_THAT(text.out, HasSubstr("\nm@matmul: " + box_.cache().string())) << "not truncated";
  expectTablesFit(text);
  EXPECT_FALSE(fs::exists(box_.store()));

  std::vector<std::string> arguments = bench("m.mlir");
  arguments.emplace_back("--json");
  const nlohmann::json document = box_.hone(arguments).json();
  EXPECT_EQ(document.at("target"), GetParam());
  EXPECT_EQ(document.at("compile_only"), true);
  const nlohmann::json& one = document.at("candidates").at(0);
  EXPECT_EQ(one.at("compiled"), true);
  EXPECT_GT(fs::file_size(one.at("module").get<std::string>()), 0U);
}

/// File names are bytes; JSON is UTF-8.
TEST_P(Targets, AcceptAnyBytesInFileNames) {
  box_.write("m\xff.mlir", matmulText(64, 64, 64));
  std::vector<std::string> arguments = bench("m\xff.mlir");
  arguments.emplace_back("--json");
  const CommandResult ran = box_.hone(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("candidates").size(), 1U);
}

TEST_P(Targets, ReturnNegativeResultForCompileError) {
  box_.write("m.mlir", matmulText(64, 64, 64));
  const std::string target = GetParam();
  const std::string unknown = target.substr(0, target.find(':')) + ":nonsense";
  const CommandResult ran = box_.hone({"bench", "m.mlir", "--target", unknown, "--json"});
  EXPECT_EQ(ran.code, 1);
  const nlohmann::json one = ran.json().at("candidates").at(0);
  EXPECT_EQ(one.at("compiled"), false);
  EXPECT_NE(one.at("message"), "");
}

/// A matmul, and a softmax of its result, which the compiler splits before it is configured.
constexpr const char* kMatmulAndSoftmax = R"(
func.func @main(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<32x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %m = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
    outs(%f : tensor<32x128xf32>) -> tensor<32x128xf32>
  %s = linalg.softmax dimension(1) ins(%m : tensor<32x128xf32>) outs(%e : tensor<32x128xf32>)
    -> tensor<32x128xf32>
  return %s : tensor<32x128xf32>
})";

TEST_P(Targets, HaveCandidatesForDispatchesWithoutMatrixInstructions) {
  box_.write("m.mlir", kMatmulAndSoftmax);
  const CommandResult ran = box_.hone({"tune", "m.mlir", "--target", GetParam(), "--compile-only",
                                       "--budget", "3trials", "-o", "made", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json dispatches = ran.json().at(0).at("dispatches");
  ASSERT_EQ(dispatches.size(), 2U) << dispatches;
  for (const nlohmann::json& dispatch : dispatches) {
    EXPECT_EQ(dispatch.at("compiled"), 3) << dispatch;
    EXPECT_TRUE(dispatch.at("order").get<std::string>().contains("registers")) << dispatch;
    const fs::path specs = box_.work() / "made/specs" / dispatch.at("dispatch").get<std::string>();
    ASSERT_TRUE(fs::exists(specs / "001.mlir")) << specs;
    const CommandResult check = box_.hone(
        {"spec", "check", (specs / "001.mlir").string(), "m.mlir", "--target", GetParam()});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
  }
  const nlohmann::json folder =
      nlohmann::json::parse(readFile(box_.work() / "made/candidates.json").value());
  for (const nlohmann::json& dispatch : folder.at("dispatches")) {
    double before = 0;
    for (const nlohmann::json& one : dispatch.at("candidates")) {
      EXPECT_GT(one.at("code").at("registers"), 0) << one;
      EXPECT_GE(one.at("expected_cost"), before) << "the most promising come first";
      before = one.at("expected_cost");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, Targets, testing::Values("rocm:gfx942", "cuda:sm_80"),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "rocm" : "cuda");
                         });

}  // namespace
}  // namespace hone::test
