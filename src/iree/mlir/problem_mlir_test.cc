#include "iree/mlir/problem_mlir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "verify/compare.h"
#include "verify/inputs.h"
#include "verify/reference.h"

namespace hone::iree {
namespace {

using model::Activation;
using model::Attention;
using model::Conv;
using model::ConvDirection;
using model::ConvLayout;
using model::ElementType;
using model::Matmul;
using model::Problem;
using verify::Tensor;

constexpr auto kFwd = ConvDirection::forward;
constexpr auto kBwd = ConvDirection::backwardData;
constexpr auto kWrw = ConvDirection::weightBackward;
constexpr auto kNhwc = ConvLayout::nhwc;
constexpr auto kNchw = ConvLayout::nchw;
constexpr auto kF16 = ElementType::f16;
constexpr auto kBf16 = ElementType::bf16;
constexpr auto kF32 = ElementType::f32;
constexpr auto kI8 = ElementType::i8;
constexpr auto kI32 = ElementType::i32;

Result<void> run(std::vector<std::string> argv) {
  const std::string program = argv[0];
  const auto finished =
      HONE_TRY(runCommand({std::move(argv), {}, {.wall = std::chrono::seconds(60)}}));
  if (!finished.ending.ok()) {
    return machineError("{}: {}\n{}", program, finished.ending.describe(), finished.err);
  }
  return {};
}

/// Compiles the problem and returns its result for the inputs.
Result<Tensor> compileAndRun(const std::string& wheels, const Problem& problem,
                             const std::vector<Tensor>& inputs) {
  const auto folder = HONE_TRY(ScratchFolder::create());
  const auto file = [&](std::string_view name) { return (folder.path() / name).string(); };
  HONE_CHECK(writeFile(file("problem.mlir"), emitMlir(problem)));
  HONE_CHECK(
      run({wheels + "/iree/compiler/_mlir_libs/iree-compile", file("problem.mlir"),
           "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
           "--iree-llvmcpu-target-cpu=host", "-o", file("problem.vmfb")}));
  std::vector<std::string> argv = {
      wheels + "/iree/_runtime_libs/iree-run-module", "--device=local-sync", "--function=main",
      "--module=" + file("problem.vmfb"), "--output=@" + file("result.bin")};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string input = file(fmt::format("input{}.bin", i));
    HONE_CHECK(verify::writeTensor(input, inputs[i]));
    argv.push_back(fmt::format("--input={}=@{}", inputs[i].type.text(), input));
  }
  HONE_CHECK(run(std::move(argv)));
  return verify::readTensor(file("result.bin"), model::resultType(problem));
}

class ProblemMlir : public testing::TestWithParam<Problem> {};

TEST_P(ProblemMlir, ComputesTheReference) {
  const char* wheels = std::getenv("HONE_IREE");
  if (wheels == nullptr) {
    GTEST_SKIP() << "set HONE_IREE to the site-packages folder that contains IREE";
  }
  const Problem problem = GetParam();
  ASSERT_TRUE(model::check(problem)) << model::check(problem).error().message;
  const verify::Values values = verify::valuesFor(problem);
  std::vector<Tensor> inputs;
  for (const model::TensorType& type : model::operandTypes(problem)) {
    inputs.push_back(verify::makeInput(type, values, 11, inputs.size()));
  }
  const auto actual = compileAndRun(wheels, problem, inputs);
  ASSERT_TRUE(actual) << actual.error().message << emitMlir(problem);
  const auto expected = verify::computeReference(problem, inputs);
  ASSERT_TRUE(expected) << expected.error().message;
  const auto mismatch = verify::compare(*actual, *expected, verify::toleranceFor(problem, values));
  ASSERT_TRUE(mismatch) << mismatch.error().message;
  EXPECT_FALSE(*mismatch) << (*mismatch)->describe() << "\n" << emitMlir(problem);
}

std::string testName(const testing::TestParamInfo<Problem>& info) {
  return model::nameOf(info.param);
}

INSTANTIATE_TEST_SUITE_P(
    Matmuls, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        Matmul{.m = 33, .n = 47, .k = 65},
        Matmul{.m = 33, .n = 47, .k = 65, .transposeLhs = true},
        Matmul{.batch = 3, .m = 17, .n = 19, .k = 23},
        Matmul{.batch = 3, .m = 17, .n = 19, .k = 23, .transposeLhs = true, .transposeRhs = true},
        Matmul{.m = 32, .n = 48, .k = 64, .lhs = kF16, .rhs = kF16},
        Matmul{.m = 32, .n = 48, .k = 128, .lhs = kF16, .rhs = kF16, .result = kF16},
        Matmul{.m = 31, .n = 48, .k = 64, .transposeRhs = true, .lhs = kBf16, .rhs = kBf16},
        Matmul{.m = 31,
               .n = 48,
               .k = 64,
               .transposeRhs = true,
               .lhs = kI8,
               .rhs = kI8,
               .result = kI32},
        Matmul{.m = 9, .n = 1, .k = 300},
    }),
    testName);

/// Sizes n, c, h, w, k, y, x; then strides, paddings, dilations, groups.
Conv makeConv(ConvDirection direction, ConvLayout layout, std::array<std::int64_t, 7> sizes,
              std::array<std::int64_t, 2> stride, std::array<std::int64_t, 2> pad,
              std::array<std::int64_t, 2> dilation, std::int64_t groups, ElementType input = kF32,
              ElementType result = kF32) {
  const auto [n, c, h, w, k, y, x] = sizes;
  return {direction, layout,    n,      c,      h,           w,           k,      y,     x,
          stride[0], stride[1], pad[0], pad[1], dilation[0], dilation[1], groups, input, result};
}

INSTANTIATE_TEST_SUITE_P(
    Forward, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        makeConv(kFwd, kNhwc, {2, 8, 10, 9, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1),
        makeConv(kFwd, kNchw, {2, 5, 10, 9, 6, 3, 2}, {2, 1}, {1, 0}, {1, 2}, 1),
        makeConv(kFwd, kNhwc, {2, 6, 11, 8, 9, 3, 3}, {2, 3}, {2, 1}, {2, 1}, 3, kBf16),
        makeConv(kFwd, kNchw, {1, 6, 8, 8, 4, 3, 1}, {1, 2}, {1, 0}, {1, 1}, 2, kF16),
        makeConv(kFwd, kNhwc, {1, 4, 7, 7, 8, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, kI8, kI32),
        makeConv(kFwd, kNhwc, {1, 4, 7, 7, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, kF16, kF16),
    }),
    testName);

INSTANTIATE_TEST_SUITE_P(
    BackwardData, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        makeConv(kBwd, kNhwc, {2, 8, 10, 9, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1),
        makeConv(kBwd, kNchw, {2, 5, 10, 9, 6, 3, 2}, {2, 1}, {1, 0}, {1, 2}, 1),
        makeConv(kBwd, kNhwc, {2, 6, 11, 8, 9, 3, 3}, {2, 3}, {2, 1}, {2, 1}, 3, kBf16),
        makeConv(kBwd, kNchw, {1, 6, 8, 8, 4, 3, 1}, {1, 2}, {1, 0}, {1, 1}, 2, kF16),
        // Windows entirely in the padding; then an image that no window overlaps.
        makeConv(kBwd, kNhwc, {1, 4, 5, 6, 8, 1, 2}, {2, 1}, {3, 2}, {1, 1}, 1),
        makeConv(kBwd, kNhwc, {1, 2, 1, 4, 3, 1, 1}, {3, 1}, {2, 0}, {1, 1}, 1),
        makeConv(kBwd, kNchw, {1, 4, 5, 6, 8, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, kI8, kI32),
    }),
    testName);

INSTANTIATE_TEST_SUITE_P(
    WeightBackward, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        makeConv(kWrw, kNhwc, {2, 8, 10, 9, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1),
        makeConv(kWrw, kNchw, {2, 5, 10, 9, 6, 3, 2}, {2, 1}, {1, 0}, {1, 2}, 1),
        makeConv(kWrw, kNhwc, {2, 6, 11, 8, 9, 3, 3}, {2, 3}, {2, 1}, {2, 1}, 3, kBf16),
        makeConv(kWrw, kNchw, {1, 6, 8, 8, 4, 3, 1}, {1, 2}, {1, 0}, {1, 1}, 2, kF16),
        // A single window that does not cover the image.
        makeConv(kWrw, kNhwc, {1, 18, 12, 4, 18, 2, 3}, {1, 3}, {0, 0}, {2, 1}, 3, kI8, kI32),
        makeConv(kWrw, kNhwc, {3, 8, 6, 6, 4, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, kBf16),
        makeConv(kWrw, kNchw, {1, 4, 5, 6, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, kI8, kI32),
    }),
    testName);

Conv with(Conv conv, bool bias, Activation activation) {
  conv.epilogue = {bias, activation};
  return conv;
}

INSTANTIATE_TEST_SUITE_P(
    Epilogues, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        Matmul{.m = 33, .n = 47, .k = 65, .epilogue = {true, Activation::relu}},
        Matmul{.m = 33, .n = 47, .k = 65, .epilogue = {false, Activation::gelu}},
        Matmul{.m = 33, .n = 47, .k = 65, .epilogue = {false, Activation::softmax}},
        Matmul{.batch = 3, .m = 17, .n = 19, .k = 23, .epilogue = {true, Activation::softmax}},
        Matmul{.batch = 3, .m = 17, .n = 19, .k = 23, .lhs = kF16, .rhs = kF16},
        Matmul{.batch = 3,
               .m = 17,
               .n = 19,
               .k = 23,
               .transposeRhs = true,
               .lhs = kF16,
               .rhs = kF16,
               .epilogue = {true, Activation::relu}},
        Matmul{.m = 31,
               .n = 48,
               .k = 64,
               .lhs = kI8,
               .rhs = kI8,
               .result = kI32,
               .epilogue = {.bias = true}},
        Matmul{.m = 31,
               .n = 48,
               .k = 64,
               .lhs = kI8,
               .rhs = kI8,
               .result = kI32,
               .epilogue = {true, Activation::relu}},
        Matmul{.m = 24,
               .n = 48,
               .k = 32,
               .lhs = kF16,
               .rhs = kF16,
               .result = kF16,
               .epilogue = {true, Activation::gelu}},
        Matmul{.m = 8,
               .n = 4096,
               .k = 16,
               .lhs = kF16,
               .rhs = kF16,
               .result = kF16,
               .epilogue = {true, Activation::softmax}},
        with(makeConv(kFwd, kNhwc, {2, 8, 10, 9, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1), true,
             Activation::relu),
        with(makeConv(kFwd, kNchw, {2, 6, 10, 9, 4, 3, 2}, {2, 1}, {1, 0}, {1, 2}, 2), true,
             Activation::gelu),
    }),
    testName);

/// Makes a 3-D convolution: depth, its filter, stride, padding and dilation.
Conv deep(Conv conv, std::array<std::int64_t, 5> depth) {
  conv.spatial = 3;
  const auto [d, z, stride, pad, dilation] = depth;
  conv.d = d;
  conv.z = z;
  conv.strideD = stride;
  conv.padD = pad;
  conv.dilationD = dilation;
  return conv;
}
/// Makes a 1-D convolution; the height must be 1.
Conv flat(Conv conv) {
  conv.spatial = 1;
  return conv;
}

INSTANTIATE_TEST_SUITE_P(
    OneDimension, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        flat(makeConv(kFwd, kNhwc, {2, 8, 1, 21, 12, 1, 3}, {1, 2}, {0, 1}, {1, 2}, 1)),
        flat(makeConv(kFwd, kNchw, {2, 8, 1, 21, 12, 1, 3}, {1, 2}, {0, 1}, {1, 2}, 1)),
        with(flat(makeConv(kFwd, kNchw, {2, 8, 1, 21, 12, 1, 3}, {1, 1}, {0, 1}, {1, 1}, 4)), true,
             Activation::relu),
        flat(makeConv(kFwd, kNhwc, {1, 6, 1, 16, 4, 1, 4}, {1, 1}, {0, 0}, {1, 1}, 2, kI8, kI32)),
        flat(makeConv(kBwd, kNhwc, {2, 8, 1, 21, 12, 1, 3}, {1, 2}, {0, 1}, {1, 2}, 2)),
        flat(makeConv(kWrw, kNchw, {2, 8, 1, 21, 12, 1, 3}, {1, 2}, {0, 1}, {1, 2}, 2, kBf16)),
    }),
    testName);

INSTANTIATE_TEST_SUITE_P(
    ThreeDimensions, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        deep(makeConv(kFwd, kNhwc, {2, 8, 8, 9, 12, 2, 3}, {1, 2}, {0, 1}, {1, 1}, 2),
             {7, 3, 2, 1, 1}),
        deep(makeConv(kBwd, kNhwc, {2, 8, 8, 9, 12, 2, 3}, {1, 2}, {0, 1}, {1, 1}, 2),
             {7, 3, 2, 1, 1}),
        deep(makeConv(kWrw, kNhwc, {2, 8, 8, 9, 12, 2, 3}, {1, 2}, {0, 1}, {1, 1}, 2),
             {7, 3, 2, 1, 1}),
        deep(makeConv(kFwd, kNchw, {1, 5, 8, 7, 6, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, kF16),
             {6, 2, 1, 0, 2}),
        deep(makeConv(kBwd, kNchw, {1, 5, 8, 7, 6, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1),
             {6, 2, 1, 0, 2}),
        deep(makeConv(kWrw, kNchw, {1, 5, 8, 7, 6, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, kI8, kI32),
             {6, 2, 1, 0, 2}),
        with(deep(makeConv(kFwd, kNchw, {1, 4, 6, 7, 6, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1),
                  {5, 3, 1, 1, 1}),
             true, Activation::relu),
    }),
    testName);

INSTANTIATE_TEST_SUITE_P(
    Attentions, ProblemMlir,
    testing::ValuesIn(std::vector<Problem>{
        Attention{.batch = 2, .queries = 24, .keys = 40, .depth = 16},
        Attention{.batch = 1, .queries = 33, .keys = 57, .depth = 80},
        Attention{.batch = 4, .queries = 64, .keys = 128, .depth = 64, .type = kF16},
        Attention{.batch = 2, .queries = 24, .keys = 40, .depth = 16, .type = kBf16},
    }),
    testName);

TEST(ProblemMlirText, UsesTheGivenFunctionName) {
  EXPECT_THAT(emitMlir(Matmul{.m = 2, .n = 3, .k = 4}, "matmul_of_a_test"),
              testing::StartsWith("func.func @matmul_of_a_test(%first: tensor<2x4xf32>, "
                                  "%second: tensor<4x3xf32>) -> tensor<2x3xf32> {\n"));
}

TEST(ProblemMlirText, AttachesAttributesOnlyToTheRoot) {
  const auto at = [](const Problem& problem) { return emitMlir(problem, "main", "tag = 1"); };
  using testing::HasSubstr;
  EXPECT_THAT(at(Matmul{.m = 2, .n = 3, .k = 4}), HasSubstr("linalg.matmul {tag = 1} ins("));
  EXPECT_THAT(at(Matmul{.batch = 1, .m = 2, .n = 3, .k = 4, .transposeLhs = true}),
              HasSubstr("-> (b, m, n)>] {tag = 1} ins("));
  Conv conv{.h = 3, .w = 3, .x = 2};
  EXPECT_THAT(at(conv), HasSubstr("strides = dense<[1, 1]> : tensor<2xi64>, tag = 1} ins("));
  conv.direction = kWrw;
  EXPECT_THAT(at(conv), HasSubstr(" attrs = {tag = 1} {\n"));
  EXPECT_THAT(at(Attention{.depth = 4}), HasSubstr(")>]> {tag = 1} ins("));
  const std::string epilogue =
      at(Matmul{.m = 2, .n = 3, .k = 4, .epilogue = {true, Activation::gelu}});
  EXPECT_EQ(epilogue.find("tag"), epilogue.rfind("tag")) << epilogue;
}

}  // namespace
}  // namespace hone::iree
