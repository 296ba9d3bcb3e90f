// The tuner as its users run it, on small programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "cli.h"
#include "store/store.h"

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

TEST_F(Tune, TriesAsManyAsTheBudgetSays) {
  const Ran ran =
      run({"matmul.mlir", "--budget", "5trials", "--rounds", "5", "--keep-flags", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json.at("programs").at(0).at("variants").at(0).at("dispatches").at(0).at("tried"), 5);
}

TEST_F(Tune, ExplainsDispatchesAndKnobsWithoutTrying) {
  const Ran ran = run({"matmul.mlir", "--explain"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("contraction"), HasSubstr("96x128x160r"),
                             HasSubstr("will be tuned"), HasSubstr("DoubleTilingExpert")));
  EXPECT_FALSE(fs::exists(box_.store()));
}

TEST_F(Tune, TakesADispatchThatTheCompilerDumpedToBenchmarkIt) {
  const fs::path dumped = box_.work() / "dumped";
  const Ran dump = run({"matmul.mlir", "--explain", "--",
                        "--iree-hal-dump-executable-benchmarks-to=" + dumped.string()});
  ASSERT_EQ(dump.code, 0) << dump.err;
  const fs::path file = fs::directory_iterator(dumped)->path();
  const Ran ran = run({file.string(), "--budget", "16trials", "--rounds", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("matmul"), HasSubstr("100 %"), HasSubstr("16")));
}

TEST_F(Tune, SaysWhatIsWrong) {
  expectError(run({}), 2, {"nothing to tune"});
  expectError(run({"missing.mlir"}), 2, {"missing.mlir"});
  expectError(run({"matmul.mlir", "--budget", "soon"}), 2, {"soon"});
  expectError(run({"matmul.mlir", "--dispatches", "("}), 2, {"--dispatches"});
  expectError(run({"--problem", "matmul_0x1x2"}), 2, {"--problem"});
  expectError(run({"matmul.mlir", "-o", "missing/spec.mlir"}), 2, {"no folder", "missing"});
  expectError(run({"matmul.mlir", "-o", "."}), 2, {"is a folder"});
  box_.write("bad.mlir", "func.func @main( {");
  expectError(run({"bad.mlir"}), 2, {"bad.mlir"});
}

TEST_F(Tune, ProgramsThatCannotBeTunedAreNamed) {
  box_.write("none.mlir", "func.func @main(%a: tensor<4xf32>) {\n  return\n}\n");
  const std::vector<std::string> little = {"--budget", "1trials", "--rounds",
                                           "5",        "--json",  "--keep-flags"};
  std::vector<std::string> both = {"none.mlir", "--problem", "matmul_64x64x64_f32t_f32t_f32t"};
  both.insert(both.end(), little.begin(), little.end());
  const Ran ran = run(both);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json.at("programs").size(), 1u);
  ASSERT_EQ(json.at("left_out").size(), 1u);
  EXPECT_EQ(json.at("left_out").at(0).at("program"), "none@main");
  std::vector<std::string> alone = {"none.mlir"};
  alone.insert(alone.end(), little.begin(), little.end());
  expectError(run(alone), 2, {"none@main", "compare"});
  std::vector<std::string> wrong = {"--problem", "matmul_64x64x64_f32t_f32t_f32t", "--problem",
                                    "matmul_32x64x64_f32t_f32t_f32t"};
  wrong.insert(wrong.end(), little.begin(), little.end());
  wrong.insert(wrong.end(), {"--", "--nonsense"});
  expectError(run(wrong), 2, {"nonsense"});
}

TEST_F(Tune, GoesOnAfterAKill) {
  const std::vector<std::string> command = {"tune",     "matmul.mlir", "--budget",    "32trials",
                                            "--rounds", "5",           "--keep-flags"};
  Process process = box_.start(command);
  ASSERT_TRUE(eventually([&] { return box_.trialsStored(1) >= 10; }));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(box_.allProcessesEnd());
  const Ran ran = box_.hone(command);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("going on with run 1"));
  EXPECT_THAT(ran.out, HasSubstr("  32  ")) << "trials of both together";
}

TEST_F(Tune, CandidatesCompiledHereAreMeasuredThere) {
  const Ran made = run({"matmul.mlir", "--compile-only", "--budget", "6trials", "-o", "there",
                        "--json", "--seed", "5"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto json = made.json();
  EXPECT_EQ(json.at(0).at("dispatches").at(0).at("drawn"), 6);
  EXPECT_EQ(json.at(0).at("dispatches").at(0).at("compiled"), 6);
  EXPECT_FALSE(fs::exists(box_.store()));
  fs::remove(box_.work() / "matmul.mlir");  // the folder has all that is needed
  const Ran measured = run({"--continue", "there", "--rounds", "5"});
  EXPECT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("dispatch_0_matmul_96x"));
  const auto stored = store::Store::open(box_.store(), store::Store::Mode::read).value();
  EXPECT_EQ(stored.run(1).value()->seed, 5u) << "that of the candidates";
  const Ran none = run({"--continue", "there", "--dispatches", "nothing", "--json"});
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("not asked for by --dispatches"));
  expectError(run({"--continue", "nowhere"}), 2, {"nowhere"});
}

TEST_F(Tune, AStrategyIsReplayedOnARecordedRun) {
  ASSERT_EQ(run({"matmul.mlir", "--budget", "32trials", "--rounds", "5", "--keep-flags"}).code, 0);
  const Ran ran = run({"--replay", "1", "--strategy", "model", "-o", "recordings", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json.at(0).at("recorded"), 32);
  EXPECT_LE(json.at(0).at("trials").get<double>(), 32);
  EXPECT_FALSE(fs::is_empty(box_.work() / "recordings"));
  expectError(run({"--replay", "7"}), 2, {"no run 7"});
}

}  // namespace
}  // namespace hone::test
