// Targets without a device on this machine are compile-only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli.h"

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

INSTANTIATE_TEST_SUITE_P(Gpus, Targets, testing::Values("rocm:gfx942", "cuda:sm_80"),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "rocm" : "cuda");
                         });

}  // namespace
}  // namespace hone::test
