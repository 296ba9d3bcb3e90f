// The tuner as its users run it, on small programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kMatmul = R"(
func.func @main(%a: tensor<96x160xf32>, %b: tensor<160x128xf32>) -> tensor<96x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<96x128xf32>) -> tensor<96x128xf32>
  %c = linalg.matmul ins(%a, %b : tensor<96x160xf32>, tensor<160x128xf32>)
                     outs(%fill : tensor<96x128xf32>) -> tensor<96x128xf32>
  return %c : tensor<96x128xf32>
}
)";

class Tune : public testing::Test {
 protected:
  void SetUp() override { box_.write("matmul.mlir", kMatmul); }

  [[nodiscard]] Ran run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "tune");
    return box_.hone(arguments);
  }

  Sandbox box_;
};

TEST_F(Tune, WritesASpecThatMatchesTheProgramOrSaysThatNothingIsGained) {
  const Ran ran = run(
      {"matmul.mlir", "-o", "spec.mlir", "--budget", "32trials", "--rounds", "5", "--keep-flags"});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  if (!fs::exists(box_.work() / "spec.mlir")) {
    EXPECT_THAT(ran.out, HasSubstr("the compiler's own choice stays"));
    return;
  }
  EXPECT_THAT(ran.out, AllOf(HasSubstr("whole program"), HasSubstr("results equal"),
                             HasSubstr("--iree-codegen-tuning-spec-path=spec.mlir")));
  const Ran check = box_.hone({"spec", "check", "spec.mlir", "matmul.mlir"});
  EXPECT_EQ(check.code, 0) << check.err << check.out;
}

TEST_F(Tune, ExplainsDispatchesAndKnobsWithoutTrying) {
  const Ran ran = run({"matmul.mlir", "--explain"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("contraction"), HasSubstr("96x128x160r"),
                             HasSubstr("will be tuned"), HasSubstr("DoubleTilingExpert")));
  EXPECT_FALSE(fs::exists(box_.store()));
}

TEST_F(Tune, SaysWhatIsWrong) {
  expectError(run({}), 2, {"nothing to tune"});
  expectError(run({"missing.mlir"}), 2, {"missing.mlir"});
  expectError(run({"matmul.mlir", "--budget", "soon"}), 2, {"soon"});
  expectError(run({"matmul.mlir", "--dispatches", "("}), 2, {"--dispatches"});
  expectError(run({"--problem", "matmul_0x1x2"}), 2, {"--problem"});
  box_.write("bad.mlir", "func.func @main( {");
  expectError(run({"bad.mlir"}), 2, {"bad.mlir"});
}

TEST_F(Tune, GoesOnAfterAKill) {
  const std::vector<std::string> command = {"tune",     "matmul.mlir", "--budget", "32trials",
                                            "--rounds", "5",           "--json",   "--keep-flags"};
  Process process = box_.start(command);
  ASSERT_TRUE(eventually([&] { return box_.trialsStored(1) >= 10; }));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(box_.allProcessesEnd());
  const Ran ran = box_.hone(command);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("going on with run 1"));
  const auto& dispatch = ran.json().at("programs").at(0).at("variants").at(0).at("dispatches");
  EXPECT_EQ(dispatch.at(0).at("tried"), 32);
}

}  // namespace
}  // namespace hone::test
