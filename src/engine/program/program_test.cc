#include "engine/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_toolchain.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTwoFunctions = R"mlir(
  func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
    %s = arith.addf %x, %x : tensor<4xf32>
    return %s : tensor<4xf32>
  }
  func.func @two(%x: tensor<?x8xf32>, %n: i32) -> tensor<?x8xf32> {
    return %x : tensor<?x8xf32>
  }
  func.func private @hidden(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
)mlir";

class ProgramTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string inputError(const Program& program,
                                       const std::vector<std::string>& specs) const {
    const auto inputs = makeInputs(program, specs, 1, toolchain_.folder.path());
    return inputs ? "" : inputs.error().message;
  }

  TestToolchain toolchain_;
};

TEST_F(ProgramTest, SelectsOnlyFunction) {
  const Program program =
      toolchain_.load(iree::emitMlir(model::Matmul{.m = 3, .n = 4, .k = 5})).value();
  EXPECT_EQ(program.function, "main");
  EXPECT_THAT(program.inputTypes, ElementsAre("tensor<3x5xf32>", "tensor<5x4xf32>"));
  EXPECT_THAT(program.resultTypes, ElementsAre("tensor<3x4xf32>"));
  EXPECT_TRUE(program.problem);
  EXPECT_EQ(program.label(), "program@main");
}

TEST_F(ProgramTest, ListsFunctionsIfMissingOrAmbiguous) {
  const auto ambiguous = toolchain_.load(kTwoFunctions);
  ASSERT_FALSE(ambiguous);
  EXPECT_THAT(ambiguous.error().message, HasSubstr("2 functions (@one, @two)"));
  const auto missing = toolchain_.load(kTwoFunctions, "three");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no function @three; found @one, @two"));
  EXPECT_FALSE(toolchain_.load(kTwoFunctions, "hidden"));
  EXPECT_FALSE(toolchain_.load("module {}"));
}

TEST_F(ProgramTest, RejectsRecursion) {
  const auto own = toolchain_.load(R"mlir(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
)mlir");
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().fault, Fault::user);
  EXPECT_THAT(own.error().message, HasSubstr("@main calls @main; IREE does not support recursion"));
  const auto mutual = toolchain_.load(R"mlir(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = call @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %z : tensor<4xf32>
  }
  func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
)mlir");
  ASSERT_FALSE(mutual);
  EXPECT_THAT(mutual.error().message, HasSubstr("@f calls @g calls @f;"));
}

TEST_F(ProgramTest, RejectsInvalidProgram) {
  const auto text = toolchain_.load("this is not MLIR");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().fault, Fault::user);
  EXPECT_THAT(text.error().message, HasSubstr("cannot parse program.mlir"));
  const auto missing =
      loadProgram(toolchain_.compiler, {.file = "/no/such/file.mlir", .flags = toolchain_.flags});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/file.mlir"));
}

TEST_F(ProgramTest, GeneratesReproducibleInputsPerOperandAndSeed) {
  const Program program =
      toolchain_.load(iree::emitMlir(model::Matmul{.m = 4, .n = 4, .k = 4})).value();
  const auto folder = toolchain_.folder.path();
  const Inputs first = makeInputs(program, {}, 1, folder).value();
  const Inputs again = makeInputs(program, {}, 1, folder).value();
  const Inputs other = makeInputs(program, {}, 2, folder).value();
  ASSERT_EQ(first.tensors.size(), 2u);
  EXPECT_EQ(first.tensors[0].data, again.tensors[0].data);
  EXPECT_NE(first.tensors[0].data, first.tensors[1].data);
  EXPECT_NE(first.tensors[0].data, other.tensors[0].data);
  EXPECT_THAT(first.arguments[0], StartsWith("4x4xf32=@"));
}

TEST_F(ProgramTest, ChecksInputSpecsAgainstFunction) {
  const Program matmul =
      toolchain_.load(iree::emitMlir(model::Matmul{.m = 3, .n = 4, .k = 5})).value();
  EXPECT_THAT(inputError(matmul, {"3x5xf32"}), HasSubstr("expects 2 inputs"));
  EXPECT_THAT(inputError(matmul, {"3x6xf32", "5x4xf32"}),
              HasSubstr("input 0: @main expects 3x5xf32, got 3x6xf32"));
  EXPECT_THAT(inputError(matmul, {"3x5xf16=1", "5x4xf32"}), HasSubstr("expects 3x5xf32"));
  EXPECT_THAT(inputError(matmul, {"3x5xnonsense", "5x4xf32"}), HasSubstr("nonsense"));
  EXPECT_EQ(inputError(matmul, {"3x5xf32=1", "5x4xf32"}), "");
  // With user values a problem has no reference: its tolerance is for generated values.
  const auto inputs = makeInputs(matmul, {"3x5xf32=1", "5x4xf32"}, 1, toolchain_.folder.path());
  EXPECT_FALSE(inputs->generated);
  EXPECT_TRUE(makeInputs(matmul, {}, 1, toolchain_.folder.path())->generated);
  EXPECT_EQ(inputs->arguments[0], "3x5xf32=1");
}

TEST_F(ProgramTest, RequiresSpecsForDynamicShapesAndScalars) {
  const Program two = toolchain_.load(kTwoFunctions, "two").value();
  EXPECT_THAT(inputError(two, {}),
              HasSubstr("input 0 of @two has type tensor<?x8xf32>; use --input"));
  EXPECT_THAT(inputError(two, {"3x9xf32", "4"}), HasSubstr("@two expects ?x8xf32"));
  EXPECT_EQ(inputError(two, {"3x8xf32", "4"}), "");
}

constexpr const char* kTorchFunctions = R"mlir(
  func.func @"twice as much/1"(%a: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32> {
    %one = torch.constant.int 1
    %sum = torch.aten.add.Tensor %a, %a, %one : !torch.vtensor<[2,3],f32>,
        !torch.vtensor<[2,3],f32>, !torch.int -> !torch.vtensor<[2,3],f32>
    return %sum : !torch.vtensor<[2,3],f32>
  }
)mlir";

TEST_F(ProgramTest, LowersTorchAndRenamesFunction) {
  const auto program = toolchain_.load(kTorchFunctions);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->function, "twice_as_much_1");
  EXPECT_EQ(program->from, iree::kPhaseInput);
  EXPECT_EQ(program->fileName(), "program.mlir");
  EXPECT_THAT(program->inputTypes, ElementsAre("tensor<2x3xf32>"));
  EXPECT_THAT(program->resultTypes, ElementsAre("tensor<2x3xf32>"));
  EXPECT_TRUE(toolchain_.load(kTorchFunctions, "twice as much/1"));
}

TEST_F(ProgramTest, FixesDynamicShapesToThoseOfInputs) {
  ASSERT_TRUE(toolchain_.load(kTwoFunctions, "two"));
  ProgramSource source{.file = toolchain_.folder.path() / "program.mlir",
                       .function = "two",
                       .flags = toolchain_.flags,
                       .inputs = {"3x8xf32", "4"}};
  const auto program = loadProgram(toolchain_.compiler, source);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->function, "two");
  EXPECT_EQ(program->from, iree::kPhaseAbi);
  EXPECT_THAT(program->inputTypes, ElementsAre("tensor<3x8xf32>", "i32"));
  source.inputs = {"3x9xf32", "4"};
  const auto wrong = loadProgram(toolchain_.compiler, source);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("@two expects ?x8xf32, got 3x9xf32"));
}

TEST_F(ProgramTest, ReadsTypesBehindBufferViews) {
  const auto program = toolchain_.load(R"mlir(
    util.func public @f$async(%a: !hal.buffer_view, %wait: !hal.fence, %signal: !hal.fence)
        -> !hal.buffer_view attributes {iree.abi.model = "coarse-fences", iree.abi.stub} {
      %0 = hal.tensor.import wait(%wait) => %a : !hal.buffer_view -> tensor<4xf32>
      %1 = arith.addf %0, %0 : tensor<4xf32>
      %2 = hal.tensor.barrier join(%1 : tensor<4xf32>) => %signal : !hal.fence
      %3 = hal.tensor.export %2 : tensor<4xf32> -> !hal.buffer_view
      util.return %3 : !hal.buffer_view
    }
    util.func public @f(%a: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub} {
      %0 = util.null : !hal.fence
      %c-1 = arith.constant -1 : i32
      %c0 = arith.constant 0 : index
      %device = hal.devices.get %c0 : !hal.device
      %fence = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence
      %1 = util.call @f$async(%a, %0, %fence)
          : (!hal.buffer_view, !hal.fence, !hal.fence) -> !hal.buffer_view
      %status = hal.fence.await until([%fence]) timeout_millis(%c-1) flags("None") : i32
      util.return %1 : !hal.buffer_view
    }
  )mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->function, "f");
  EXPECT_THAT(program->inputTypes, ElementsAre("tensor<4xf32>"));
  EXPECT_THAT(program->resultTypes, ElementsAre("tensor<4xf32>"));
}

TEST_F(ProgramTest, GeneratesScalarsAndSafeIntegers) {
  const Program two =
      toolchain_
          .load(
              "func.func @f(%x: tensor<64xi64>, %n: i32, %r: f32) -> tensor<64xi64> {"
              " return %x : tensor<64xi64> }")
          .value();
  Inputs inputs = makeInputs(two, {}, 1, toolchain_.folder.path()).value();
  EXPECT_THAT(inputs.arguments, ElementsAre(StartsWith("64xi64=@"), "1", "0.5"));
  Program ranged = two;
  ranged.inputRanges = {verify::IntegerBounds{5, 8}, verify::IntegerBounds{7, 9}, std::nullopt};
  inputs = makeInputs(ranged, {}, 1, toolchain_.folder.path()).value();
  EXPECT_EQ(inputs.arguments[1], "7");
}

TEST_F(ProgramTest, KeepsIntegersWithinRange) {
  const Program program =
      toolchain_
          .load("func.func @f(%x: tensor<64xi64>) -> tensor<64xi64> { return %x : tensor<64xi64> }")
          .value();
  const auto values = [&](const Program& one) {
    const Inputs inputs = makeInputs(one, {}, 1, toolchain_.folder.path()).value();
    return verify::toNumbers<std::int64_t>(inputs.tensors.front());
  };
  EXPECT_THAT(values(program),
              ::testing::Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(2))));
  Program ranged = program;
  ranged.inputRanges = {verify::IntegerBounds{5, 8}};
  EXPECT_THAT(values(ranged),
              ::testing::Each(::testing::AllOf(::testing::Ge(5), ::testing::Lt(8))));
  EXPECT_THAT(values(ranged), ::testing::Contains(7));
}

TEST_F(ProgramTest, RejectsMissingParametersAndUnknownRanges) {
  const auto file = toolchain_.folder.path() / "program.mlir";
  ASSERT_TRUE(toolchain_.load(kTorchFunctions));
  const auto error = [&](ProgramSource source) {
    source.file = file;
    source.flags = toolchain_.flags;
    const auto program = loadProgram(toolchain_.compiler, source);
    return program ? "" : program.error().message;
  };
  EXPECT_THAT(error({.file = file, .parameters = {"model=/no/such.irpa"}}),
              HasSubstr("no file /no/such.irpa"));
  EXPECT_THAT(error({.file = file, .ranges = {{"ids", {0, 2}}}}), HasSubstr("inputs 0 to 0"));
  EXPECT_THAT(error({.file = file, .dims = {{"batch", 1}}}), HasSubstr("--dim batch"));
}

}  // namespace
}  // namespace hone::engine
