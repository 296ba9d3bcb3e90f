#include "trial/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/problem_mlir.h"
#include "trial/test_engine.h"

namespace hone::trial {
namespace {

using model::Activation;
using model::Outcome;
using model::Problem;

class VerifierTest : public ::testing::Test {
 protected:
  /// How a program ends that is held against the reference of a problem.
  Verification verify(const Problem& problem, const std::string& text) {
    Program program = engine_.load(text).value();
    program.problem = problem;
    const Inputs inputs = makeInputs(program, {}, 1, engine_.folder.path()).value();
    const std::vector<iree::CompileRequest> requests = {
        {program.source, program.hash, engine_.flags, {}}};
    const auto compiled = engine_.compiler.compileAll(requests, {}).value();
    Verifier verifier(engine_.executor, program, inputs, engine_.folder.path());
    return verifier.check({compiled[0].module, program.function, inputs.arguments}).value();
  }

  static std::string changed(std::string text, std::string_view from, std::string_view to) {
    EXPECT_TRUE(text.contains(from)) << text;
    return text.replace(text.find(from), from.size(), to);
  }

  TestEngine engine_;
};

TEST_F(VerifierTest, HoldsEveryKindAgainstItsReference) {
  const std::vector<Problem> problems = {
      model::Matmul{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::relu}},
      model::Matmul{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::gelu}},
      model::Conv{.n = 1, .c = 4, .w = 20, .k = 8, .x = 3, .padW = 1, .spatial = 1},
      model::Attention{
          .batch = 2, .queries = 16, .keys = 24, .depth = 8, .type = model::ElementType::f16}};
  for (const Problem& problem : problems) {
    const Verification verification = verify(problem, iree::mlirOf(problem));
    EXPECT_EQ(verification.outcome, Outcome::ok) << verification.message;
    EXPECT_EQ(verification.against, Against::reference) << nameOf(problem);
  }
}

TEST_F(VerifierTest, FindsWhatIsWrongAfterTheSums) {
  const model::Matmul gelu{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::gelu}};
  const model::Matmul softmax{.m = 16, .n = 24, .k = 32, .epilogue = {true, Activation::softmax}};
  const model::Attention attention{.batch = 2, .queries = 16, .keys = 24, .depth = 8};
  const std::vector<std::pair<Problem, std::string>> wrong = {
      {gelu, changed(iree::mlirOf(gelu), "addf %in0, %in1", "subf %in0, %in1")},
      {gelu, changed(iree::mlirOf(gelu), "math.erf", "math.tanh")},
      {softmax, changed(iree::mlirOf(softmax), "addf %in0, %in1", "subf %in0, %in1")},
      {attention, changed(iree::mlirOf(attention), "e-01 : f32", "e-02 : f32")}};
  for (const auto& [problem, text] : wrong) {
    const Verification verification = verify(problem, text);
    EXPECT_EQ(verification.outcome, Outcome::mismatch) << text;
    EXPECT_THAT(verification.message, ::testing::HasSubstr("elements differ"));
  }
}

}  // namespace
}  // namespace hone::trial
