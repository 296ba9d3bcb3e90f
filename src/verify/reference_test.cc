#include "verify/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "verify/compare.h"
#include "verify/inputs.h"
#include "verify/test_naive.h"

namespace hone::verify {
namespace {

using model::Activation;
using model::Attention;
using model::Conv;
using model::ConvAxis;
using model::ConvDirection;
using model::ConvLayout;
using model::ElementType;
using model::Epilogue;
using model::Matmul;
using model::Problem;

struct Types {
  ElementType input;
  ElementType result;
};

Types genTypes() {
  return *rc::gen::element(
      Types{ElementType::f32, ElementType::f32}, Types{ElementType::f16, ElementType::f32},
      Types{ElementType::bf16, ElementType::f32}, Types{ElementType::f16, ElementType::f16},
      Types{ElementType::f64, ElementType::f64}, Types{ElementType::i8, ElementType::i32},
      Types{ElementType::i8, ElementType::f32});
}

std::int64_t genSize(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange(least, most + 1);
}

/// Generates an epilogue that is valid for the result type.
Epilogue genEpilogue(ElementType result, bool softmax) {
  Epilogue epilogue{*rc::gen::arbitrary<bool>(), Activation::none};
  epilogue.activation =
      *rc::gen::element(Activation::none, Activation::relu, Activation::gelu, Activation::softmax);
  const bool may = softmax || epilogue.activation != Activation::softmax;
  return may && model::check(epilogue, result) ? epilogue : Epilogue{.bias = epilogue.bias};
}

Matmul genMatmul() {
  const Types types = genTypes();
  return {.batch = genSize(0, 3),
          .m = genSize(1, 40),
          .n = genSize(1, 40),
          .k = genSize(1, 60),
          .transposeLhs = *rc::gen::arbitrary<bool>(),
          .transposeRhs = *rc::gen::arbitrary<bool>(),
          .lhs = types.input,
          .rhs = types.input,
          .result = types.result,
          .epilogue = genEpilogue(types.result, true)};
}

ConvAxis genAxis(std::int64_t most) {
  ConvAxis axis{1, genSize(1, most), genSize(1, 3), genSize(0, 3), genSize(1, 3)};
  const std::int64_t least = axis.dilation * (axis.filter - 1) + 1 - 2 * axis.pad;
  axis.image = std::max<std::int64_t>(1, least) + genSize(0, 2 * most);
  return axis;
}

Conv genConv() {
  const Types types = genTypes();
  Conv conv;
  conv.direction = *rc::gen::element(ConvDirection::forward, ConvDirection::backwardData,
                                     ConvDirection::weightBackward);
  conv.layout = *rc::gen::element(ConvLayout::nhwc, ConvLayout::nchw);
  conv.spatial = genSize(1, 3);
  conv.groups = *rc::gen::element<std::int64_t>(1, 1, 2, 3);
  conv.n = genSize(1, 3);
  conv.c = conv.groups * genSize(1, conv.spatial == 3 ? 6 : 20);
  conv.k = conv.groups * genSize(1, conv.spatial == 3 ? 6 : 20);
  const ConvAxis width = genAxis(4);
  std::tie(conv.w, conv.x, conv.strideW, conv.padW, conv.dilationW) =
      std::tie(width.image, width.filter, width.stride, width.pad, width.dilation);
  if (conv.spatial > 1) {
    const ConvAxis height = genAxis(4);
    std::tie(conv.h, conv.y, conv.strideH, conv.padH, conv.dilationH) =
        std::tie(height.image, height.filter, height.stride, height.pad, height.dilation);
  }
  if (conv.spatial > 2) {
    const ConvAxis depth = genAxis(2);
    std::tie(conv.d, conv.z, conv.strideD, conv.padD, conv.dilationD) =
        std::tie(depth.image, depth.filter, depth.stride, depth.pad, depth.dilation);
  }
  conv.input = types.input;
  conv.result = types.result;
  if (conv.direction == ConvDirection::forward) {
    conv.epilogue = genEpilogue(types.result, false);
  }
  return conv;
}

Attention genAttention() {
  return {.batch = genSize(1, 3),
          .queries = genSize(1, 20),
          .keys = genSize(1, 40),
          .depth = genSize(1, 40),
          .type = *rc::gen::element(ElementType::f32, ElementType::f16, ElementType::bf16,
                                    ElementType::f64)};
}

/// Returns the tolerance of the reference itself, which computes in f32 for every type.
Tolerance toleranceInF32(Problem problem) {
  if (auto* matmul = std::get_if<Matmul>(&problem)) {
    matmul->result = isFloat(matmul->result) ? ElementType::f32 : matmul->result;
  } else if (auto* conv = std::get_if<Conv>(&problem)) {
    conv->result = isFloat(conv->result) ? ElementType::f32 : conv->result;
  } else {
    std::get<Attention>(problem).type = ElementType::f32;
  }
  return toleranceFor(problem, Values::reals);
}

void checkAgainstLoops(const Problem& problem) {
  if (valuesFor(problem) == Values::smallIntegers) {
    const std::vector<Tensor> exact = makeInputs(problem, Values::smallIntegers);
    const auto result = computeReference(problem, exact);
    if (!result) {
      RC_FAIL(nameOf(problem) + ": " + result.error().message);
    }
    if (toNumbers<double>(*result) != naive(problem, exact)) {
      RC_FAIL(nameOf(problem));
    }
  }
  const std::vector<Tensor> reals = makeInputs(problem, Values::reals);
  const auto result = computeReference(problem, reals);
  if (!result) {
    RC_FAIL(nameOf(problem) + ": " + result.error().message);
  }
  const auto mismatch =
      compare(*result, resultTensor(problem, naive(problem, reals)), toleranceInF32(problem));
  RC_ASSERT(mismatch.has_value());
  if (*mismatch) {
    RC_FAIL(nameOf(problem) + ": " + (*mismatch)->describe());
  }
}

RC_GTEST_PROP(Reference, MatmulEqualsPlainLoops, ()) { checkAgainstLoops(genMatmul()); }

RC_GTEST_PROP(Reference, ConvolutionEqualsPlainLoops, ()) { checkAgainstLoops(genConv()); }

RC_GTEST_PROP(Reference, AttentionEqualsPlainLoops, ()) { checkAgainstLoops(genAttention()); }

/// Returns inputs with all 256 values of i8 and sums that exceed the precision of f32.
std::vector<Tensor> wideInputs(const Problem& problem) {
  std::vector<Tensor> inputs = makeInputs(problem, Values::smallIntegers);
  for (Tensor& tensor : inputs) {
    for (std::size_t i = 0; i < tensor.data.size(); ++i) {
      tensor.data[i] = static_cast<std::byte>(i * 37 + 128);
    }
  }
  return inputs;
}

TEST(Reference, IsExactForAllI8Values) {
  const Problem problem = Matmul{.m = 3,
                                 .n = 4,
                                 .k = 5000,
                                 .lhs = ElementType::i8,
                                 .rhs = ElementType::i8,
                                 .result = ElementType::i32};
  std::vector<Tensor> inputs = wideInputs(problem);
  EXPECT_EQ(toNumbers<double>(computeReference(problem, inputs).value()), naive(problem, inputs));
  std::fill(inputs[0].data.begin(), inputs[0].data.end(), std::byte{0x80});
  std::fill(inputs[1].data.begin(), inputs[1].data.end(), std::byte{0x80});
  EXPECT_EQ(toNumbers<double>(computeReference(problem, inputs).value()),
            std::vector<double>(12, 5000.0 * 128 * 128));
}

TEST(Reference, WrapsLikeI32) {
  const Problem problem = Matmul{.m = 1,
                                 .n = 1,
                                 .k = 2,
                                 .lhs = ElementType::i32,
                                 .rhs = ElementType::i32,
                                 .result = ElementType::i32};
  std::vector<Tensor> inputs = makeInputs(problem, Values::smallIntegers);
  const std::array<std::int32_t, 2> lhs = {2147483647, -2147483647 - 1};
  const std::array<std::int32_t, 2> rhs = {2147483646, 123456789};
  std::memcpy(inputs[0].data.data(), lhs.data(), 8);
  std::memcpy(inputs[1].data.data(), rhs.data(), 8);
  std::uint32_t expected = 0;
  for (int i = 0; i < 2; ++i) {
    expected += static_cast<std::uint32_t>(lhs[i]) * static_cast<std::uint32_t>(rhs[i]);
  }
  EXPECT_EQ(toNumbers<double>(computeReference(problem, inputs).value()),
            std::vector<double>{static_cast<double>(static_cast<std::int32_t>(expected))});
}

TEST(Reference, BiasAndReluWrapLikeI32) {
  const Problem problem = Matmul{.m = 1,
                                 .n = 2,
                                 .k = 1,
                                 .lhs = ElementType::i32,
                                 .rhs = ElementType::i32,
                                 .result = ElementType::i32,
                                 .epilogue = {.bias = true, .activation = Activation::relu}};
  std::vector<Tensor> inputs = makeInputs(problem, Values::smallIntegers);
  const std::array<std::int32_t, 1> lhs = {1};
  const std::array<std::int32_t, 2> rhs = {2147483647, -2147483647 - 1};
  const std::array<std::int32_t, 2> bias = {1, -1};
  std::memcpy(inputs[0].data.data(), lhs.data(), 4);
  std::memcpy(inputs[1].data.data(), rhs.data(), 8);
  std::memcpy(inputs[2].data.data(), bias.data(), 8);
  EXPECT_EQ(toNumbers<double>(computeReference(problem, inputs).value()),
            (std::vector<double>{0, 2147483647}));
}

TEST(Reference, NarrowResultWraps) {
  const Problem problem = Matmul{.m = 3,
                                 .n = 4,
                                 .k = 50,
                                 .lhs = ElementType::i8,
                                 .rhs = ElementType::i8,
                                 .result = ElementType::i8};
  const std::vector<Tensor> inputs = wideInputs(problem);
  const std::vector<double> sums = naive(problem, inputs);
  const std::vector<double> result = toNumbers<double>(computeReference(problem, inputs).value());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(result[i], static_cast<std::int8_t>(static_cast<std::int64_t>(sums[i])));
  }
}

TEST(Reference, SplitsLongAttention) {
  const Problem problem = Attention{.batch = 2, .queries = 40, .keys = 1 << 17, .depth = 2};
  const std::vector<Tensor> inputs = makeInputs(problem, Values::reals);
  const auto mismatch =
      compare(computeReference(problem, inputs).value(),
              resultTensor(problem, naive(problem, inputs)), toleranceFor(problem, Values::reals));
  EXPECT_FALSE(mismatch.value()) << mismatch.value()->describe();
}

TEST(Reference, RejectsInputOfWrongType) {
  const Problem problem = Matmul{.m = 2, .n = 3, .k = 4};
  std::vector<Tensor> inputs = makeInputs(problem, Values::reals);
  inputs[1] = makeInput({{4, 3}, ElementType::f16}, Values::reals, 1, 1);
  EXPECT_THAT(computeReference(problem, inputs).error().message,
              testing::HasSubstr("expected 4x3xf32 (48 bytes), got 4x3xf16 (24 bytes)"));
  inputs.pop_back();
  EXPECT_THAT(computeReference(problem, inputs).error().message,
              testing::HasSubstr("expected 2 inputs, got 1"));
}

std::ptrdiff_t countThreads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

TEST(Reference, LeavesNoThreadsAndAllowsFork) {
  const Problem matmul = Matmul{.m = 256, .n = 256, .k = 256};
  const std::vector<Tensor> inputs = makeInputs(matmul, Values::smallIntegers);
  const std::ptrdiff_t before = countThreads();
  const auto parent = computeReference(matmul, inputs);
  Conv conv{.n = 4, .c = 32, .h = 16, .w = 16, .k = 32, .y = 3, .x = 3};
  for (const auto direction :
       {ConvDirection::forward, ConvDirection::backwardData, ConvDirection::weightBackward}) {
    conv.direction = direction;
    ASSERT_TRUE(computeReference(conv, makeInputs(conv, Values::reals)));
  }
  const Attention attention{.batch = 2, .queries = 64, .keys = 64, .depth = 32};
  ASSERT_TRUE(computeReference(attention, makeInputs(attention, Values::reals)));
  EXPECT_EQ(countThreads(), before);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a hanging child must not hang the test
    const auto again = computeReference(matmul, inputs);
    _exit(again && again->data == parent->data ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hone::verify
