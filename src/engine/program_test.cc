#include "engine/program.h"

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

TEST_F(ProgramTest, RejectsInvalidProgram) {
  const auto text = toolchain_.load("this is not MLIR");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().fault, Fault::user);
  EXPECT_THAT(text.error().message, HasSubstr("cannot parse program.mlir"));
  const auto missing = loadProgram(toolchain_.compiler, "/no/such/file.mlir", "", toolchain_.flags);
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
  // With user values there are no tensors to compute a reference from.
  const auto inputs = makeInputs(matmul, {"3x5xf32=1", "5x4xf32"}, 1, toolchain_.folder.path());
  EXPECT_TRUE(inputs->tensors.empty());
  EXPECT_EQ(inputs->arguments[0], "3x5xf32=1");
}

TEST_F(ProgramTest, RequiresSpecsForDynamicShapesAndScalars) {
  const Program two = toolchain_.load(kTwoFunctions, "two").value();
  EXPECT_THAT(inputError(two, {}),
              HasSubstr("input 0 of @two has type tensor<?x8xf32>; use --input"));
  EXPECT_THAT(inputError(two, {"3x9xf32", "4"}), HasSubstr("@two expects ?x8xf32"));
  EXPECT_EQ(inputError(two, {"3x8xf32", "4"}), "");
}

}  // namespace
}  // namespace hone::engine
