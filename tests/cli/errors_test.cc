// User errors: one line on stderr, exit code 2, no leftover files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

struct InvalidCommand {
  std::vector<std::string> arguments;
  std::vector<std::string> says;
};

class Errors : public testing::Test {
 protected:
  void SetUp() override {
    box_.write("m.mlir", matmulText(16, 16, 16));
    const std::string identity =
        "(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }";
    box_.write("two.mlir", "func.func @one" + identity + "\nfunc.func @two" + identity + "\n");
    box_.write("shapes.txt", "gemm -m 64 -n 8 -k 128\n");
    box_.write("four.mlir", "func.func @four" + identity + "\n");
  }

  void expectAll(const std::vector<InvalidCommand>& slips) {
    for (const InvalidCommand& slip : slips) {
      SCOPED_TRACE(testing::PrintToString(slip.arguments));
      expectError(box_.hone(slip.arguments), 2, slip.says);
    }
    EXPECT_FALSE(fs::exists(box_.store()));
    EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
    EXPECT_THAT(box_.leftoverProcesses(), IsEmpty());
  }

  Sandbox box_;
};

TEST_F(Errors, RejectsInvalidCommandLine) {
  expectAll(
      {{{}, {"expected a command"}},
       {{"polish"}, {"'polish'", "--help"}},
       {{"bench"}, {"PROGRAM"}},
       {{"bench", "m.mlir", "--fast"}, {"--fast"}},
       {{"bench", "shapes.txt"}, {"shapes.txt is a workload; expected a program"}},
       {{"runs", "polish"}, {"polish"}},
       {{"runs", "show"}, {"RUN"}},
       {{"bench", "m.mlir", "--rounds", "1"},
        {"--rounds: expected a number from 5 to 1000, got '1'"}},
       {{"bench", "m.mlir", "--seed", "x"}, {"--seed: expected a number from 0, got 'x'"}},
       {{"bench", "m.mlir", "--seed", "-1"}, {"--seed: expected a number from 0, got '-1'"}},
       {{"--verison"}, {"unknown option '--verison'", "did you mean `--version`?"}},
       {{"split", "--limt"}, {"unknown option '--limt' (see hone split --help)"}},
       {{"tune", "m.mlir", "--explain", "--compile-only"}, {"--explain excludes --compile-only"}},
       {{"tune", "--continue", "a", "--replay", "3"}, {"--continue excludes --replay"}},
       {{"kernel", "optimize", "-k", "k.cc", "--min-improvement", "5"},
        {"--min-improvement: expected a number from 0 to 1, got '5'"}},
       {{"runs", "--limit", "-1"}, {"--limit: expected a number from 0, got '-1'"}},
       {{"tune", "m.mlir", "--top", "0"}, {"--top: expected a positive number, got '0'"}},
       {{"tune", "m.mlir", "--strategy", "luck"},
        {"--strategy: expected evolve, model, random or exhaustive, got 'luck'"}},
       {{"tune", "m.mlir", "--nodes", "2"}, {"--nodes has no effect", "--executor slurm"}},
       {{"bench", "m.mlir", "--dim", "batch=1:8"}, {"only hone tune takes a range", "batch=1"}},
       {{"tune", "--continue", "."}, {"is not a folder of hone tune --compile-only"}},
       {{"bench", "m.mlir", "--margin", "2"}, {"--margin"}},
       {{"bench", "m.mlir", "--compile-timeout", "-1"}, {"--compile-timeout"}},
       {{"bench", "m.mlir", "--compile-timeout", "1e30"}, {"--compile-timeout"}},
       {{"bench", "m.mlir", "--run-timeout", "inf"}, {"--run-timeout"}},
       {{"bench", "m.mlir", "--configs", "c.json", "--vs", "m.mlir"}, {"--configs", "--vs"}}});
}

TEST_F(Errors, RejectsInvalidProgram) {
  fs::create_directory(box_.work() / "folder");
  box_.write("text.mlir", "good morning\n");
  box_.write("bytes.mlir", std::string("ML\xefR\0\x01\xff", 7));
  box_.write("empty.mlir", "");
  expectAll({{{"bench", "missing.mlir"}, {"missing.mlir", "No such file"}},
             {{"bench", "folder"}, {"folder", "is a folder"}},
             {{"bench", "text.mlir"}, {"cannot parse text.mlir", ":1:1"}},
             {{"bench", "bytes.mlir"}, {"cannot parse bytes.mlir"}},
             {{"bench", "empty.mlir"}, {"empty.mlir has no public function"}},
             {{"bench", "m.mlir", "--vs", "missing.mlir"}, {"missing.mlir"}},
             {{"bench", "m.mlir", "--vs", "four.mlir"}, {"different signatures", "4xf32"}}});
}

TEST_F(Errors, NamesBinaryFiles) {
  using namespace std::string_literals;
  const std::string binary = "\x08\x07\x12\x1b[31mpytorch\0\0"s + std::string(5000, '\1');
  box_.write("mlp.onnx", binary);
  box_.write("mlp.vmfb", binary);
  box_.write("mlp.bin", binary);
  for (const char* command : {"tune", "bench", "profile"}) {
    const CommandResult model = box_.hone({command, "mlp.onnx"});
    EXPECT_TRUE(model.code == 2 || model.code == 3) << model.code;  // 3: without onnx
    expectError(model, model.code, {"mlp.onnx"});
    expectError(box_.hone({command, "mlp.vmfb"}), 2, {"mlp.vmfb is a compiled module"});
    expectError(box_.hone({command, "mlp.bin"}), 2, {"mlp.bin is a binary file"});
  }
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"workload", "show"}, {"workload", "split"}, {"split", "quick"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("mlp.onnx");
    expectError(box_.hone(arguments), 2, {"mlp.onnx is an ONNX model; expected text"});
  }
}

TEST_F(Errors, RejectsInvalidFunctionOrInput) {
  expectAll({{{"bench", "m.mlir", "--function", "gemm"}, {"no function @gemm", "@matmul"}},
             {{"bench", "two.mlir"}, {"2 functions (@one, @two)", "--function"}},
             {{"bench", "m.mlir", "--input", "16x16xf32"}, {"expects 2 inputs", "1 --input"}},
             {{"bench", "m.mlir", "--input", "@none.bin", "--input", "16x16xf32"}, {"none.bin"}},
             {{"bench", "m.mlir", "--input", "16x16xf32", "--input", "4x16xf32"},
              {"input 1", "expects 16x16xf32, got 4x16xf32"}},
             {{"bench", "m.mlir", "--input", "16x16xf32", "--input", "16x16xf16"}, {"input 1"}},
             {{"bench", "m.mlir", "--input", "16x16xf32", "--input", "16x16"}, {"16x16"}}});
}

TEST_F(Errors, RejectsInvalidTargetDeviceOrFlag) {
  expectAll(
      {{{"bench", "m.mlir", "--target", "abacus"}, {"unknown target 'abacus'", "local", "vulkan"}},
       {{"bench", "m.mlir", "--device", "abacus"}, {"'abacus'", "local-sync, local-task"}},
       {{"bench", "m.mlir", "--device", "vulkan"}, {"'vulkan'", "'local'", "local-sync"}},
       {{"bench", "m.mlir", "--target", "vulkan", "--device", "local-sync"}, {"'local-sync'"}},
       {{"bench", "m.mlir", "--target", "vulkan", "--device", "vulkan://none"}, {"vulkan://none"}},
       {{"bench", "m.mlir", "--flags=--no-such-flag"}, {"flags", "no-such-flag"}},
       {{"bench", "m.mlir", "--flags", "'--open"}, {"--flags", "quote"}}});
}

TEST_F(Errors, RejectsInvalidConfigOrBudget) {
  box_.write("text.json", "good morning");
  box_.write("object.json", R"({"name": "a"})");
  box_.write("none.json", "[]");
  box_.write("member.json", R"([{"name": "a"}, {"name": "b", "tiles": [1]}])");
  box_.write("type.json", R"([{"name": "a", "flags": "--x"}])");
  const auto configs = [](const char* file) {
    return std::vector<std::string>{"bench", "m.mlir", "--configs", file};
  };
  expectAll({{configs("missing.json"), {"missing.json", "No such file"}},
             {configs("text.json"), {"text.json", "line 1: invalid JSON"}},
             {configs("object.json"), {"object.json: expected a JSON list"}},
             {configs("none.json"), {"none.json: no configs found"}},
             {configs("member.json"), {"member.json, entry 2", "'tiles'"}},
             {configs("type.json"), {"type.json, entry 1", "flags"}},
             {{"bench", "m.mlir", "--budget", "soon"}, {"invalid budget 'soon'", "10m"}},
             {{"bench", "m.mlir", "--budget", "5m,0trials"}, {"'0trials'"}},
             {{"bench", "m.mlir", "--budget", "9999999999h"}, {"'9999999999h'"}}});
}

TEST_F(Errors, ReportsMissingStore) {
  const CommandResult list = box_.hone({"runs"});
  EXPECT_EQ(list.code, 0) << "an empty list is not an error";
  EXPECT_THAT(list.out, HasSubstr("no runs yet"));
  EXPECT_TRUE(box_.hone({"runs", "--json"}).json().at("runs").empty());
  expectAll({{{"runs", "show", "1"}, {"no store found"}},
             {{"runs", "show", "x"}, {"no store found"}},
             {{"runs", "resume", "1"}, {"no store found"}},
             {{"runs", "export", "1", "--csv"}, {"no store found"}},
             {{"runs", "export", "1"}, {"--csv", "--json"}}});
}

/// The timeout applies to reading the program, and a tiny one does not mean no limit.
TEST_F(Errors, ReportsTimeoutOfReadingProgram) {
  expectAll({{{"bench", "m.mlir", "--compile-timeout", "0.001"},
              {"m.mlir", "the compiler was stopped after"}}});
}

TEST_F(Errors, ReportsTimeoutOfCompilingBaseline) {
  // The first command caches the parsed program for the second.
  expectError(box_.hone({"bench", "m.mlir", "--function", "gemm"}), 2, {"@gemm"});
  expectError(box_.hone({"bench", "m.mlir", "--compile-timeout", "0.001", "--quiet"}), 2,
              {"m.mlir does not compile", "stopped after"});
  EXPECT_EQ(box_.hone({"runs", "--json"}).json()["runs"][0]["status"], "failed");
  EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
}

}  // namespace
}  // namespace hone::test
