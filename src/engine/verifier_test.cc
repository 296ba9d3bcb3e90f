#include "engine/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "engine/test_toolchain.h"
#include "iree/mlir/problem_mlir.h"

namespace hone::engine {
namespace {

using model::Activation;
using model::Outcome;
using model::Problem;

class VerifierTest : public ::testing::Test {
 protected:
  /// Verifies a program against the reference of a problem.
  Verification verify(const Problem& problem, const std::string& text) {
    Program program = toolchain_.load(text).value();
    program.problem = problem;
    const Inputs inputs = makeInputs(program, {}, 1, toolchain_.folder.path()).value();
    const std::vector<iree::CompileRequest> requests = {
        {program.source, program.hash, toolchain_.flags, {}}};
    const auto compiled = toolchain_.compiler.compileAll(requests, {}).value();
    Verifier verifier(toolchain_.runner, program, inputs, toolchain_.folder.path());
    return verifier.check({compiled[0].module, program.function, inputs.arguments}).value();
  }

  /// Verifies the second program against the first on the same inputs.
  Verification verifyAgainstFirst(const std::string& first, const std::string& second,
                                  const std::vector<std::string>& inputSpecs) {
    const Program program = toolchain_.load(first).value();
    EXPECT_TRUE(canBeCompared(program));
    const Inputs inputs = makeInputs(program, inputSpecs, 1, toolchain_.folder.path()).value();
    Verifier verifier(toolchain_.runner, program, inputs, toolchain_.folder.path());
    Verification verification;
    for (const std::string& text : {first, second}) {
      const Program one =
          toolchain_.load(text, "", fmt::format("{}.mlir", hashBytes(text))).value();
      const std::vector<iree::CompileRequest> requests = {
          {one.source, one.hash, toolchain_.flags, {}}};
      const auto compiled = toolchain_.compiler.compileAll(requests, {}).value();
      verification = verifier.check({compiled[0].module, one.function, inputs.arguments}).value();
    }
    EXPECT_EQ(verification.expectation, Expectation::baseline);
    return verification;
  }

  static std::string replaceOnce(std::string text, std::string_view from, std::string_view to) {
    EXPECT_TRUE(text.contains(from)) << text;
    return text.replace(text.find(from), from.size(), to);
  }

  TestToolchain toolchain_;
};

TEST_F(VerifierTest, ComparesEveryKindWithReference) {
  const std::vector<Problem> problems = {
      model::Matmul{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::relu}},
      model::Matmul{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::gelu}},
      model::Conv{.n = 1, .c = 4, .w = 20, .k = 8, .x = 3, .padW = 1, .spatial = 1},
      model::Attention{
          .batch = 2, .queries = 16, .keys = 24, .depth = 8, .type = model::ElementType::f16}};
  for (const Problem& problem : problems) {
    const Verification verification = verify(problem, iree::emitMlir(problem));
    EXPECT_EQ(verification.outcome, Outcome::ok) << verification.message;
    EXPECT_EQ(verification.expectation, Expectation::reference) << nameOf(problem);
  }
}

TEST_F(VerifierTest, DetectsWrongEpilogue) {
  const model::Matmul gelu{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::gelu}};
  const model::Matmul softmax{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::softmax}};
  const model::Attention attention{.batch = 2, .queries = 16, .keys = 24, .depth = 8};
  const std::vector<std::pair<Problem, std::string>> wrong = {
      {gelu, replaceOnce(iree::emitMlir(gelu), "addf %in0, %in1", "subf %in0, %in1")},
      {gelu, replaceOnce(iree::emitMlir(gelu), "math.erf", "math.tanh")},
      {softmax, replaceOnce(iree::emitMlir(softmax), "addf %in0, %in1", "subf %in0, %in1")},
      {attention, replaceOnce(iree::emitMlir(attention), "e-01 : f32", "e-02 : f32")}};
  for (const auto& [problem, text] : wrong) {
    const Verification verification = verify(problem, text);
    EXPECT_EQ(verification.outcome, Outcome::mismatch) << text;
    EXPECT_THAT(verification.message, ::testing::HasSubstr("elements differ"));
  }
}

constexpr const char* kDynamic = R"(
func.func @main(%a: tensor<?x8xf32>) -> (tensor<?x8xf32>, index, i1) {
  %zero = arith.constant 0 : index
  %true = arith.constant true
  %rows = tensor.dim %a, %zero : tensor<?x8xf32>
  %sum = arith.addf %a, %a : tensor<?x8xf32>
  return %sum, %rows, %true : tensor<?x8xf32>, index, i1
})";

TEST_F(VerifierTest, ComparesDynamicShapesAndScalars) {
  const std::vector<std::string> inputs = {"3x8xf32"};
  EXPECT_EQ(verifyAgainstFirst(kDynamic, kDynamic, inputs).outcome, Outcome::ok);
  const Verification values =
      verifyAgainstFirst(kDynamic, replaceOnce(kDynamic, "addf %a", "mulf %a"), inputs);
  EXPECT_EQ(values.outcome, Outcome::mismatch);
  EXPECT_THAT(values.message, ::testing::HasSubstr("result 0"));
  const Verification number = verifyAgainstFirst(
      kDynamic, replaceOnce(kDynamic, "constant true", "constant false"), inputs);
  EXPECT_EQ(number.outcome, Outcome::mismatch);
  EXPECT_THAT(number.message, ::testing::HasSubstr("result 2"));
}

TEST_F(VerifierTest, DetectsDifferentLength) {
  const std::string shorter = R"(
func.func @main(%a: tensor<?x8xf32>) -> (tensor<?x8xf32>, index, i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %rows = tensor.dim %a, %zero : tensor<?x8xf32>
  %less = arith.subi %rows, %one : index
  %part = tensor.extract_slice %a[0, 0] [%less, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  return %part, %rows, %true : tensor<?x8xf32>, index, i1
})";
  const Verification verification = verifyAgainstFirst(kDynamic, shorter, {"3x8xf32"});
  EXPECT_EQ(verification.outcome, Outcome::mismatch);
  EXPECT_THAT(verification.message, ::testing::HasSubstr("expected 24 elements, got 16"));
}

TEST(CanBeCompared, RequiresReadableResults) {
  const auto with = [](std::vector<std::string> results) {
    Program program;
    program.resultTypes = std::move(results);
    return canBeCompared(program);
  };
  EXPECT_TRUE(with({"tensor<4x4xf32>", "tensor<?x?xbf16>", "tensor<f32>", "i32", "index"}));
  EXPECT_FALSE(with({"tensor<4x4xf32>", "!hal.buffer_view"}));
  EXPECT_FALSE(with({"tensor<?xcomplex<f32>>"}));
  EXPECT_FALSE(with({}));
}

}  // namespace
}  // namespace hone::engine
