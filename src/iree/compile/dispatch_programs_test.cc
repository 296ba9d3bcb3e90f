#include "iree/compile/dispatch_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "iree/compile/toolchain/test_toolchain.h"
#include "iree/mlir/problem_mlir.h"
#include "iree/run/dispatch_costs.h"
#include "tests/source_folder.h"
#include "verify/inputs.h"

namespace hone::iree {
namespace {

using model::RootKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Status = CompileReport::Status;

class DispatchProgramsTest : public ::testing::Test {
 protected:
  std::vector<DispatchProgram> programs(const CompileRequest& request) {
    const auto folder = toolchain_.folder.path() / request.source.stem();
    std::filesystem::create_directories(folder);
    return dispatchPrograms(toolchain_.compiler, request, folder).value();
  }

  [[nodiscard]] CompileRequest requestFor(const DispatchProgram& program) const {
    CompileRequest request = toolchain_.request(program.source);
    request.from = program.from;
    return request;
  }

  /// Writes random values of an MLIR tensor type; returns "4x4xf32=@file".
  [[nodiscard]] std::string input(const std::string& type, std::size_t number) const {
    const auto tensor = model::tensorTypeFromMlir(type).value();
    const auto file = toolchain_.folder.path() / fmt::format("in{}.bin", number);
    EXPECT_TRUE(
        verify::writeTensor(file, verify::makeInput(tensor, verify::Values::reals, 1, number)));
    return fmt::format("{}=@{}", tensor.text(), file.string());
  }

  /// Compiles and calls the function; returns the bytes of its only result.
  std::string run(const CompileRequest& request, const std::string& function,
                  std::vector<std::string> inputs, const std::string& name = "out.bin") {
    const Compiled compiled = toolchain_.compile(request);
    EXPECT_EQ(compiled.report.status, Status::ok) << compiled.report.message;
    const std::vector<std::filesystem::path> files = {toolchain_.folder.path() / name};
    const auto report =
        toolchain_.runner.run({compiled.module, function, std::move(inputs)}, files);
    EXPECT_EQ(report->status, CallReport::Status::ok) << report->message;
    return readFile(files[0]).value();
  }

  TestToolchain toolchain_;
};

TEST_F(DispatchProgramsTest, ReadsDataFlowAndConfiguredIr) {
  const auto file = toolchain_.folder.path() / "flow.mlir";
  ASSERT_TRUE(writeFile(file, R"(
func.func @f(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x96xf32>)
      outs(%fill : tensor<64x96xf32>) -> tensor<64x96xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %fill1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce ins(%m : tensor<64x96xf32>) outs(%fill1 : tensor<64xf32>) dimensions = [1]
      (%x: f32, %s: f32) { %t = arith.addf %x, %s : f32  linalg.yield %t : f32 }
  return %r : tensor<64xf32>
})"));
  const CompileRequest request = toolchain_.request(file);
  const auto graph = toolchain_.compiler.ask(request, ListDispatchGraphJob{});
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->nodes.size(), 5u) << "two inputs, two dispatches, an output";
  EXPECT_EQ(graph->nodes[0].name, "input0");
  EXPECT_THAT(graph->nodes[2].name, HasSubstr("dispatch_0_matmul"));
  EXPECT_THAT(graph->edges, ElementsAre(model::DispatchGraph::Edge{0, 2, "tensor<64x128xf32>"},
                                        model::DispatchGraph::Edge{1, 2, "tensor<128x96xf32>"},
                                        model::DispatchGraph::Edge{2, 3, "tensor<64x96xf32>"},
                                        model::DispatchGraph::Edge{3, 4, "tensor<64xf32>"}));
  const auto ir = toolchain_.compiler.ask(request, PrintDispatchJob{"f_dispatch_0"});
  ASSERT_TRUE(ir) << ir.error().message;
  EXPECT_THAT(ir->text, HasSubstr("func.func @f_dispatch_0_matmul"));
  EXPECT_THAT(ir->text, HasSubstr("root_op"));
  EXPECT_EQ(toolchain_.compiler.ask(request, PrintDispatchJob{"other"})->text, "");
}

/// Each extracted dispatch must compile and run, with the same configuration as in the program.
TEST_F(DispatchProgramsTest, ExtractsDispatchesOfExamples) {
  const std::filesystem::path examples = sourceFolder() / "examples/programs";
  const std::map<std::string, std::vector<RootKind>> kinds = {
      {"mlp_block",
       {RootKind::reduction, RootKind::reduction, RootKind::contraction, RootKind::contraction}},
      {"resnet_bottleneck", {RootKind::contraction, RootKind::convolution, RootKind::contraction}},
      {"attention_block", {RootKind::contraction, RootKind::attention, RootKind::contraction}}};
  for (const auto& [name, expected] : kinds) {
    const auto found = programs(toolchain_.request(examples / (name + ".mlir")));
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const DispatchProgram& program = found[i];
      ASSERT_EQ(program.skipReason, "") << program.name;
      EXPECT_EQ(program.root.kind, expected[i]) << program.name;
      EXPECT_EQ(listRoots(toolchain_.compiler, requestFor(program)).value(),
                std::vector<model::RootOperation>{program.root});
      std::vector<std::string> inputs;
      for (std::size_t input = 0; input < program.inputTypes.size(); ++input) {
        inputs.push_back(this->input(program.inputTypes[input], input));
      }
      const auto type = model::tensorTypeFromMlir(program.resultTypes.at(0)).value();
      EXPECT_EQ(run(requestFor(program), program.function, inputs).size(), type.bytes());
    }
  }
}

TEST_F(DispatchProgramsTest, ChainedDispatchesComputeTheProgram) {
  const CompileRequest whole = toolchain_.request(R"mlir(
    func.func @main(%x: tensor<32x64xf32>, %first: tensor<64x48xf32>, %second: tensor<48x16xf32>)
        -> tensor<32x16xf32> {
      %zero = arith.constant 0.0 : f32
      %a = tensor.empty() : tensor<32x48xf32>
      %b = linalg.fill ins(%zero : f32) outs(%a : tensor<32x48xf32>) -> tensor<32x48xf32>
      %c = linalg.matmul ins(%x, %first : tensor<32x64xf32>, tensor<64x48xf32>)
          outs(%b : tensor<32x48xf32>) -> tensor<32x48xf32>
      %d = math.tanh %c : tensor<32x48xf32>
      %e = tensor.empty() : tensor<32x16xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
      %g = linalg.matmul ins(%d, %second : tensor<32x48xf32>, tensor<48x16xf32>)
          outs(%f : tensor<32x16xf32>) -> tensor<32x16xf32>
      return %g : tensor<32x16xf32>
    }
  )mlir",
                                                  "chain.mlir");
  const auto found = programs(whole);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].inputTypes, ElementsAre("tensor<32x64xf32>", "tensor<64x48xf32>"));
  const std::string x = input("tensor<32x64xf32>", 0);
  const std::string first = input("tensor<64x48xf32>", 1);
  const std::string second = input("tensor<48x16xf32>", 2);
  const std::string expected = run(whole, "main", {x, first, second});
  (void)run(requestFor(found[0]), found[0].function, {x, first}, "middle.bin");
  const std::string middle =
      fmt::format("32x48xf32=@{}", (toolchain_.folder.path() / "middle.bin").string());
  EXPECT_EQ(run(requestFor(found[1]), found[1].function, {middle, second}), expected);
}

TEST_F(DispatchProgramsTest, MergesIdenticalDispatchesAndCountsCalls) {
  const std::filesystem::path examples = sourceFolder() / "examples/programs";
  const auto found = programs(toolchain_.request(examples / "attention_block.mlir"));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].calls, 3);
  EXPECT_EQ(found[1].calls, 1);
  // Two executables that differ only in their names. The compiler itself would merge them.
  const std::string text = readFile(found[0].source).value();
  const auto from = text.find("  flow.executable");
  ASSERT_NE(from, std::string::npos);
  std::string twin = text.substr(from, text.rfind('}') - from);
  for (auto at = twin.find("block"); at != std::string::npos; at = twin.find("block", at)) {
    twin.replace(at, 5, "blink");
  }
  CompileRequest request =
      toolchain_.request(text.substr(0, text.rfind('}')) + twin + "}\n", "twins.mlir");
  request.from = kPhaseFlow;
  const auto twins = programs(request);
  ASSERT_EQ(twins.size(), 1u);
  EXPECT_EQ(twins[0].calls, 2);
  EXPECT_THAT(twins[0].dispatches,
              ElementsAre("attention_block_dispatch_0", "attention_blink_dispatch_0"));
  EXPECT_EQ(twins[0].entries.size(), 2u);
}

TEST_F(DispatchProgramsTest, ConstantsAndGlobalsBecomeInputs) {
  const auto found = programs(toolchain_.request(R"mlir(
    util.global private mutable @weights = dense<0.5> : tensor<16x8xf32>
    func.func @main(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0.0 : f32
      %weights = util.global.load @weights : tensor<16x8xf32>
      %a = tensor.empty() : tensor<4x8xf32>
      %b = linalg.fill ins(%zero : f32) outs(%a : tensor<4x8xf32>) -> tensor<4x8xf32>
      %c = linalg.matmul ins(%x, %weights : tensor<4x16xf32>, tensor<16x8xf32>)
          outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
      return %c : tensor<4x8xf32>
    }
    func.func @learn(%weights: tensor<16x8xf32>) {
      util.global.store %weights, @weights : tensor<16x8xf32>
      return
    }
  )mlir",
                                                 "global.mlir"));
  ASSERT_EQ(found.size(), 1u);
  ASSERT_THAT(found[0].inputTypes, ElementsAre("tensor<4x16xf32>", "tensor<16x8xf32>"));
  const std::vector<std::string> inputs = {input(found[0].inputTypes[0], 0),
                                           input(found[0].inputTypes[1], 1)};
  EXPECT_EQ(run(requestFor(found[0]), found[0].function, inputs).size(), 4u * 4 * 8);
}

TEST_F(DispatchProgramsTest, ExplainsWhyDispatchCannotBeExtracted) {
  const auto dynamic = programs(toolchain_.request(R"mlir(
    func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %y = math.exp %x : tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    }
  )mlir",
                                                   "dynamic.mlir"));
  ASSERT_EQ(dynamic.size(), 1u);
  EXPECT_EQ(dynamic[0].skipReason, "it has dynamic shapes");
  EXPECT_TRUE(dynamic[0].source.empty());
  EXPECT_EQ(dynamic[0].root.kind, RootKind::elementwise);
  CompileRequest packed =
      toolchain_.request(emitMlir(model::Matmul{.m = 64, .n = 64, .k = 64}), "packed.mlir");
  packed.flags.emplace_back("--iree-opt-data-tiling");
  for (const DispatchProgram& program : programs(packed)) {
    EXPECT_THAT(program.skipReason, HasSubstr("data tiling")) << program.name;
  }
}

/// An executable benchmark dumped by the compiler must compute the same as the dispatch extracted
/// from the program.
TEST_F(DispatchProgramsTest, AcceptsDumpedBenchmarks) {
  const std::filesystem::path written = toolchain_.folder.path() / "benchmarks";
  CompileRequest whole = toolchain_.request(
      emitMlir(model::Matmul{.m = 32, .n = 16, .k = 64, .epilogue = {.bias = true}}), "fused.mlir");
  const auto cut = programs(whole);
  ASSERT_EQ(cut.size(), 1u);
  whole.flags.push_back("--iree-hal-dump-executable-benchmarks-to=" + written.string());
  ASSERT_EQ(toolchain_.compile(whole).report.status, Status::ok);
  const std::filesystem::directory_iterator files(written);
  CompileRequest request = toolchain_.request(files->path());
  const auto described = toolchain_.compiler.describe(request).value();
  request.from = described.at(0).from;
  EXPECT_EQ(request.from, kPhaseExecutableSources);
  const auto found = programs(request);
  ASSERT_EQ(found.size(), 1u);
  const DispatchProgram& program = found[0];
  ASSERT_EQ(program.skipReason, "");
  EXPECT_EQ(program.inputTypes, cut[0].inputTypes);
  EXPECT_EQ(program.resultTypes, cut[0].resultTypes);
  EXPECT_EQ(program.root, cut[0].root);
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < program.inputTypes.size(); ++i) {
    inputs.push_back(input(program.inputTypes[i], i));
  }
  const std::string expected = run(requestFor(cut[0]), cut[0].function, inputs);
  EXPECT_EQ(run(requestFor(program), program.function, inputs), expected);
  // A custom configuration takes effect, also in a batch.
  CompileRequest other = requestFor(program);
  const Compiled plain = toolchain_.compile(other);
  other.attributes = {{"", "", "compilation_info",
                       "#iree_codegen.compilation_info<lowering_config = "
                       "#iree_cpu.lowering_config<distribution = [16, 16, 0], "
                       "vector_common_parallel = [4, 16, 0], vector_reduction = [0, 0, 2]>, "
                       "translation_info = #iree_codegen.translation_info<pipeline = "
                       "#iree_cpu.pipeline<DoubleTilingExpert>>>"}};
  for (const auto route : {CompileRequest::Route::shared, CompileRequest::Route::batched}) {
    other.route = route;
    other.function = program.function;
    const Compiled tuned = toolchain_.compile(other);
    EXPECT_EQ(tuned.report.status, Status::ok) << tuned.report.message;
    EXPECT_EQ(tuned.ignored, "");
    EXPECT_NE(tuned.content, plain.content);
  }
}

/// The result is part of a larger buffer, whose other elements must not change.
TEST_F(DispatchProgramsTest, PassesPartlyWrittenBuffersAsInputs) {
  const std::filesystem::path written = toolchain_.folder.path() / "benchmarks";
  CompileRequest whole =
      toolchain_.request(sourceFolder() / "examples/programs/resnet_bottleneck.mlir");
  const auto cut = programs(whole);
  whole.flags.push_back("--iree-hal-dump-executable-benchmarks-to=" + written.string());
  ASSERT_EQ(toolchain_.compile(whole).report.status, Status::ok);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(written)) {
    CompileRequest request = toolchain_.request(file.path());
    request.from = kPhaseExecutableSources;
    const auto found = programs(request);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].skipReason, "");
    const auto same = std::find_if(cut.begin(), cut.end(), [&](const DispatchProgram& one) {
      return one.name == found[0].name;
    });
    ASSERT_NE(same, cut.end());
    EXPECT_EQ(found[0].root, same->root);
    EXPECT_EQ(toolchain_.compile(requestFor(found[0])).report.status, Status::ok);
    if (same == cut.begin()) {
      EXPECT_EQ(found[0].inputTypes, same->inputTypes);
      EXPECT_EQ(found[0].resultTypes, same->resultTypes);
      std::vector<std::string> inputs;
      for (std::size_t i = 0; i < same->inputTypes.size(); ++i) {
        inputs.push_back(input(same->inputTypes[i], i));
      }
      const std::string expected = run(requestFor(*same), same->function, inputs);
      EXPECT_EQ(run(requestFor(found[0]), found[0].function, inputs), expected);
    }
    ++files;
  }
  EXPECT_EQ(files, 3u);
}

TEST_F(DispatchProgramsTest, DividesProgramTimeAmongDispatches) {
  const std::filesystem::path examples = sourceFolder() / "examples/programs";
  const CompileRequest request = toolchain_.request(examples / "attention_block.mlir");
  const auto found = programs(request);
  const Compiled compiled = toolchain_.compile(request);
  Call call{compiled.module, "attention_block", {input("tensor<128x256xf32>", 0)}};
  for (std::size_t i = 1; i < 5; ++i) {
    call.inputs.push_back(input("tensor<256x256xf32>", i));
  }
  const auto times =
      dispatchTimes(toolchain_.installation, deviceNamed("local-sync"), {}, call, 2).value();
  const auto costs = dispatchCosts(found, times);
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].calls, 3);
  EXPECT_EQ(costs[1].calls, 1);
  EXPECT_EQ(costs[2].calls, 1);
  double all = 0;
  for (const DispatchCost& cost : costs) {
    EXPECT_GT(cost.totalNs, 0);
    all += cost.share;
  }
  EXPECT_NEAR(all, 1, 1e-9);
}

TEST(DispatchCosts, DispatchThatNeverRanCostsNothing) {
  std::vector<DispatchProgram> programs(2);
  programs[0].entries = {"a", "b"};
  programs[1].entries = {"c"};
  const std::vector<DispatchTime> times = {
      {"a", 2, 30, 0, {}}, {"b", 1, 20, 0, {}}, {"of another program", 1, 50, 0, {}}};
  const auto costs = dispatchCosts(programs, times);
  EXPECT_EQ(costs[0].calls, 3);
  EXPECT_DOUBLE_EQ(costs[0].totalNs, 50);
  EXPECT_DOUBLE_EQ(costs[0].share, 0.5);
  EXPECT_EQ(costs[1].calls, 0);
  EXPECT_DOUBLE_EQ(dispatchCosts(programs, {})[1].share, 0);
}

}  // namespace
}  // namespace hone::iree
