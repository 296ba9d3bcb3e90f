// End-to-end tests of `hone tune` on small programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "store/store.h"
#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

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

/// Makes the compiler's default slow, so that there is always a gain.
constexpr const char* kBadChoice = "--iree-llvmcpu-distribution-size=1";

constexpr const char* kConvolution = R"(
func.func @main(%a: tensor<1x32x20x20xf32>, %b: tensor<64x32x3x3xf32>) -> tensor<1x64x18x18xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x64x18x18xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x18x18xf32>) -> tensor<1x64x18x18xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%a, %b : tensor<1x32x20x20xf32>, tensor<64x32x3x3xf32>)
      outs(%fill : tensor<1x64x18x18xf32>) -> tensor<1x64x18x18xf32>
  return %c : tensor<1x64x18x18xf32>
}
)";

/// A spec for the matmul with tiles outside of hone's search space.
constexpr const char* kOddSpec = R"(
module attributes {transform.with_named_sequence,
                   iree_codegen.tuning_spec_with_default_entrypoint} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly},
                                  %config: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
    transform.yield
  }
  transform.named_sequence @odd(%op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.any_param) {
    transform.match.operation_name %op ["linalg.matmul"] : !transform.any_op
    %config = transform.param.constant #iree_codegen.compilation_info<
        lowering_config = #iree_cpu.lowering_config<distribution = [24, 80, 0],
            vector_common_parallel = [3, 16, 0], vector_reduction = [0, 0, 5]>,
        translation_info = <pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>
      -> !transform.any_param
    transform.yield %op, %config : !transform.any_op, !transform.any_param
  }
  transform.named_sequence @__kernel_config(%module: !transform.any_op {transform.consumed})
      -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %result = transform.foreach_match in %module @odd -> @apply
        : (!transform.any_op) -> !transform.any_op
    transform.yield %result : !transform.any_op
  }
}
)";

/// Returns the maximum line width of the table that starts with this heading.
std::size_t widthOfTable(const std::string& text, const std::string& heading) {
  std::size_t widest = 0;
  std::istringstream lines(text.substr(std::min(text.find(heading), text.size())));
  for (std::string line; std::getline(lines, line) && !line.empty() && !line.contains(": ");) {
    const auto characters = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    widest = std::max(widest, static_cast<std::size_t>(characters));
  }
  return widest;
}

class Tune : public testing::Test {
 protected:
  void SetUp() override { box_.write("matmul.mlir", kMatmul); }

  [[nodiscard]] CommandResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "tune");
    return box_.hone(arguments);
  }

  Sandbox box_;
};

TEST_F(Tune, WritesSpecThatMatchesProgram) {
  const CommandResult ran = run({"matmul.mlir", "-o", "spec.mlir", "--budget", "12trials",
                                 "--rounds", "5", "--keep-flags", "--", kBadChoice});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("whole program: "), HasSubstr("results equal"),
                             HasSubstr("--iree-codegen-tuning-spec-path=spec.mlir")));
  EXPECT_THAT(widthOfTable(ran.out, "dispatch  "), AllOf(Gt(40u), Le(80u))) << ran.out;
  ASSERT_TRUE(fs::exists(box_.work() / "spec.mlir"));
  const CommandResult check = box_.hone({"spec", "check", "spec.mlir", "matmul.mlir"});
  EXPECT_EQ(check.code, 0) << check.err << check.out;
}

TEST_F(Tune, KeepsOldSpecWithoutGain) {
  const std::vector<std::string> nothing = {"matmul.mlir",  "-o",           "spec.mlir",
                                            "--keep-flags", "--dispatches", "nothing"};
  const CommandResult none = run(nothing);
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.out, AllOf(HasSubstr("the compiler's default is kept"),
                              Not(HasSubstr("spec.mlir is from an earlier run"))));
  EXPECT_FALSE(fs::exists(box_.work() / "spec.mlir"));
  box_.write("spec.mlir", "mine");
  const CommandResult old = run(nothing);
  ASSERT_EQ(old.code, 0) << old.err;
  EXPECT_THAT(old.out, HasSubstr("spec.mlir is from an earlier run"));
  EXPECT_EQ(readFile(box_.work() / "spec.mlir").value(), "mine");
}

TEST_F(Tune, TriesStarterSpecFirst) {
  box_.write("odd.mlir", kOddSpec);
  const CommandResult ran = run({"matmul.mlir", "--starter-spec", "odd.mlir", "--budget", "1trials",
                                 "--rounds", "5", "--keep-flags", "--json", "--", kBadChoice});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto dispatch = ran.json().at("programs").at(0).at("variants").at(0).at("dispatches").at(0);
  EXPECT_EQ(dispatch.at("tried"), 1);
  ASSERT_TRUE(dispatch.contains("winner")) << dispatch.dump(2);
  EXPECT_THAT(dispatch.at("winner").at("compilation_info").get<std::string>(),
              HasSubstr("[24, 80, 0]"));
  expectError(run({"matmul.mlir", "--starter-spec", "missing.mlir"}), 2, {"missing.mlir"});
}

TEST_F(Tune, KeepsTrialBudget) {
  const CommandResult ran =
      run({"matmul.mlir", "--budget", "5trials", "--rounds", "5", "--keep-flags", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json.at("programs").at(0).at("variants").at(0).at("dispatches").at(0).at("tried"), 5);
}

TEST_F(Tune, SuggestsBudgetForWaysOfLayers) {
  box_.write("conv.mlir", kConvolution);
  const CommandResult ran = run({"conv.mlir", "--budget", "1s", "--rounds", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("--budget 1m should suffice"),
                             HasSubstr("the compiler's default is kept")));
}

TEST_F(Tune, ExplainsDispatchesAndKnobs) {
  const CommandResult ran = run({"matmul.mlir", "--explain"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("contraction"), HasSubstr("96x128x160r"),
                             HasSubstr("  yes\n"), HasSubstr("DoubleTilingExpert")));
  EXPECT_THAT(widthOfTable(ran.out, "dispatch  "), AllOf(Gt(40u), Le(80u))) << ran.out;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("input0"), HasSubstr("tensor<96x128xf32>"), HasSubstr("output0")))
      << "the data flow";
  EXPECT_FALSE(fs::exists(box_.store()));
}

TEST_F(Tune, ExplainsOneDispatch) {
  const CommandResult ran = run({"matmul.mlir", "--explain", "--dispatches", "dispatch_0"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("root operation: linalg."), HasSubstr("root_op"),
                             HasSubstr("func.func @"), HasSubstr("distribution  "),
                             HasSubstr("--compile-to=executable-configurations"),
                             HasSubstr("--compile-from=executable-configurations"),
                             HasSubstr("--iree-hal-dump-executable-benchmarks-to=")));
  const auto json =
      run({"matmul.mlir", "--explain", "--dispatches", "dispatch_0", "--json"}).json();
  EXPECT_THAT(json.at(0).at("ir").get<std::string>(), HasSubstr("lowering_config"));
  EXPECT_EQ(json.at(0).at("reads").at(0).at("from"), "input0");
  EXPECT_EQ(json.at(0).at("writes").at(0).at("to"), "output0");
}

TEST_F(Tune, TunesDumpedDispatch) {
  const fs::path dumped = box_.work() / "dumped";
  const CommandResult dump = run({"matmul.mlir", "--explain", "--",
                                  "--iree-hal-dump-executable-benchmarks-to=" + dumped.string()});
  ASSERT_EQ(dump.code, 0) << dump.err;
  const fs::path file = fs::directory_iterator(dumped)->path();
  const CommandResult ran = run({file.string(), "--budget", "6trials", "--rounds", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("matmul"), HasSubstr("100 %"), HasSubstr(" 6 of ")));
}

TEST_F(Tune, RejectsInvalidInput) {
  expectError(run({}), 2, {"nothing to tune"});
  expectError(run({"missing.mlir"}), 2, {"missing.mlir"});
  expectError(run({"matmul.mlir", "--budget", "soon"}), 2, {"soon"});
  expectError(run({"matmul.mlir", "--dispatches", "("}), 2, {"--dispatches"});
  expectError(run({"--problem", "matmul_0x1x2"}), 2, {"--problem"});
  expectError(run({"matmul.mlir", "-o", "missing/spec.mlir"}), 2,
              {"folder missing does not exist"});
  expectError(run({"matmul.mlir", "-o", "."}), 2, {"is a folder"});
  box_.write("bad.mlir", "func.func @main( {");
  expectError(run({"bad.mlir"}), 2, {"bad.mlir"});
}

TEST_F(Tune, ReportsProgramsThatCannotBeTuned) {
  box_.write("none.mlir", "func.func @main(%a: tensor<4xf32>) {\n  return\n}\n");
  const std::vector<std::string> little = {"--budget", "1trials", "--rounds",
                                           "5",        "--json",  "--keep-flags"};
  std::vector<std::string> both = {"none.mlir", "--problem", "matmul_64x64x64_f32t_f32t_f32t"};
  both.insert(both.end(), little.begin(), little.end());
  const CommandResult ran = run(both);
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

TEST_F(Tune, ContinuesAfterKill) {
  const std::vector<std::string> command = {"tune",     "matmul.mlir", "--budget",    "12trials",
                                            "--rounds", "5",           "--keep-flags"};
  Process process = box_.start(command);
  ASSERT_TRUE(eventually([&] { return box_.countStoredTrials(1) >= 4; }));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(box_.allProcessesEnd());
  const CommandResult ran = box_.hone(command);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming run 1"));
  EXPECT_THAT(ran.out, HasSubstr(" 12 of ")) << "trials of both processes";
}

TEST_F(Tune, MeasuresCandidatesOfCompileOnly) {
  const CommandResult made = run({"matmul.mlir", "--compile-only", "--budget", "6trials", "-o",
                                  "there", "--json", "--seed", "5"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto json = made.json();
  EXPECT_EQ(json.at(0).at("dispatches").at(0).at("drawn"), 6);
  EXPECT_EQ(json.at(0).at("dispatches").at(0).at("compiled"), 6);
  EXPECT_FALSE(fs::exists(box_.store()));
  fs::remove(box_.work() / "matmul.mlir");  // the folder is self-contained
  const CommandResult measured = run({"--continue", "there", "--rounds", "5", "--json"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  const auto tried = measured.json().at("programs").at(0).at("variants").at(0).at("dispatches");
  EXPECT_THAT(tried.at(0).at("name").get<std::string>(), HasSubstr("dispatch_0_matmul_96x"));
  EXPECT_EQ(tried.at(0).at("tried"), 6) << "exactly the compiled candidates";
  const auto stored = store::Store::open(box_.store(), store::Store::Mode::read).value();
  EXPECT_EQ(stored.run(1).value()->seed, 5u) << "the seed of the candidates";
  const CommandResult none = run({"--continue", "there", "--dispatches", "nothing", "--json"});
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("excluded by --dispatches"));
  expectError(run({"--continue", "nowhere"}), 2, {"nowhere"});
}

TEST_F(Tune, ReplaysStrategyOnRecordedRun) {
  ASSERT_EQ(run({"matmul.mlir", "--budget", "12trials", "--rounds", "5", "--keep-flags"}).code, 0);
  const CommandResult ran =
      run({"--replay", "1", "--strategy", "model", "-o", "recordings", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json.at(0).at("recorded"), 12);
  EXPECT_LE(json.at(0).at("trials").get<double>(), 12);
  EXPECT_FALSE(fs::is_empty(box_.work() / "recordings"));
  EXPECT_EQ(run({"--replay", "last", "--strategy", "model", "--json"}).json(), json);
  expectError(run({"--replay", "7"}), 2, {"no run 7"});
  expectError(run({"--replay", "x"}), 2, {"invalid run 'x'"});
}

}  // namespace
}  // namespace hone::test
