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

namespace hone::verify {
namespace {

using model::Conv;
using model::ConvDirection;
using model::ConvLayout;
using model::ElementType;
using model::Matmul;
using model::Problem;

std::vector<double> valuesOf(const Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.type.count()));
  readElements(tensor, 0, values);
  return values;
}

std::vector<double> naiveMatmul(const Matmul& p, const std::vector<double>& lhs,
                                const std::vector<double>& rhs) {
  std::vector<double> result;
  for (std::int64_t b = 0; b < std::max<std::int64_t>(p.batch, 1); ++b) {
    for (std::int64_t m = 0; m < p.m; ++m) {
      for (std::int64_t n = 0; n < p.n; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          const auto l = b * p.m * p.k + (p.transposeLhs ? k * p.m + m : m * p.k + k);
          const auto r = b * p.k * p.n + (p.transposeRhs ? n * p.k + k : k * p.n + n);
          sum += lhs[static_cast<std::size_t>(l)] * rhs[static_cast<std::size_t>(r)];
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

/// Where the element of channel `c`, row `y` and column `x` of item `n` lies.
std::size_t offsetOf(const Conv& p, std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x,
                     std::int64_t channels, std::int64_t height, std::int64_t width) {
  return static_cast<std::size_t>(p.layout == ConvLayout::nhwc
                                      ? ((n * height + y) * width + x) * channels + c
                                      : ((n * channels + c) * height + y) * width + x);
}

/// All three directions are the same products, summed up into another of the three tensors.
std::vector<double> naiveConv(const Conv& p, std::vector<double> first,
                              std::vector<double> second) {
  std::vector<double> result(static_cast<std::size_t>(resultOf(p).count()));
  auto& image = p.direction == ConvDirection::backwardData ? result : first;
  auto& filter = p.direction == ConvDirection::weightBackward ? result : second;
  auto& output = p.direction == ConvDirection::forward        ? result
                 : p.direction == ConvDirection::backwardData ? first
                                                              : second;
  const std::int64_t cg = p.c / p.groups;
  const std::int64_t kg = p.k / p.groups;
  const auto product = [&](std::int64_t n, std::int64_t k, std::int64_t oh, std::int64_t ow,
                           std::int64_t c, std::int64_t y, std::int64_t x) {
    const std::int64_t h = oh * p.strideH - p.padH + y * p.dilationH;
    const std::int64_t w = ow * p.strideW - p.padW + x * p.dilationW;
    if (h < 0 || h >= p.h || w < 0 || w >= p.w) {
      return;
    }
    double& i = image[offsetOf(p, n, k / kg * cg + c, h, w, p.c, p.h, p.w)];
    double& f = filter[offsetOf(p, k, c, y, x, cg, p.y, p.x)];
    double& o = output[offsetOf(p, n, k, oh, ow, p.k, p.outH(), p.outW())];
    (&image == &result    ? i
     : &filter == &result ? f
                          : o) += &image == &result    ? f * o
                                  : &filter == &result ? i * o
                                                       : i * f;
  };
  for (std::int64_t n = 0; n < p.n; ++n) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      for (std::int64_t oh = 0; oh < p.outH(); ++oh) {
        for (std::int64_t ow = 0; ow < p.outW(); ++ow) {
          for (std::int64_t c = 0; c < cg; ++c) {
            for (std::int64_t y = 0; y < p.y; ++y) {
              for (std::int64_t x = 0; x < p.x; ++x) {
                product(n, k, oh, ow, c, y, x);
              }
            }
          }
        }
      }
    }
  }
  return result;
}

std::vector<double> naive(const Problem& problem, const std::vector<Tensor>& inputs) {
  const auto first = valuesOf(inputs[0]);
  const auto second = valuesOf(inputs[1]);
  return std::holds_alternative<Matmul>(problem)
             ? naiveMatmul(std::get<Matmul>(problem), first, second)
             : naiveConv(std::get<Conv>(problem), first, second);
}

std::vector<Tensor> inputsOf(const Problem& problem, Values values, std::uint64_t seed = 1) {
  std::vector<Tensor> inputs;
  for (const model::TensorType& type : operandsOf(problem)) {
    inputs.push_back(makeInput(type, values, seed, inputs.size()));
  }
  return inputs;
}

struct Types {
  ElementType input;
  ElementType result;
};

Types someTypes() {
  return *rc::gen::element(
      Types{ElementType::f32, ElementType::f32}, Types{ElementType::f16, ElementType::f32},
      Types{ElementType::bf16, ElementType::f32}, Types{ElementType::f16, ElementType::f16},
      Types{ElementType::f64, ElementType::f64}, Types{ElementType::i8, ElementType::i32});
}

std::int64_t someOf(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange(least, most + 1);
}

Matmul someMatmul() {
  const Types types = someTypes();
  return {.batch = someOf(0, 3),
          .m = someOf(1, 40),
          .n = someOf(1, 40),
          .k = someOf(1, 60),
          .transposeLhs = *rc::gen::arbitrary<bool>(),
          .transposeRhs = *rc::gen::arbitrary<bool>(),
          .lhs = types.input,
          .rhs = types.input,
          .result = types.result};
}

Conv someConv() {
  const Types types = someTypes();
  Conv conv;
  conv.direction = *rc::gen::element(ConvDirection::forward, ConvDirection::backwardData,
                                     ConvDirection::weightBackward);
  conv.layout = *rc::gen::element(ConvLayout::nhwc, ConvLayout::nchw);
  conv.groups = *rc::gen::element<std::int64_t>(1, 1, 2, 3);
  conv.n = someOf(1, 3);
  conv.c = conv.groups * someOf(1, 20);
  conv.k = conv.groups * someOf(1, 20);
  conv.y = someOf(1, 4);
  conv.x = someOf(1, 4);
  conv.strideH = someOf(1, 3);
  conv.strideW = someOf(1, 3);
  conv.padH = someOf(0, 3);
  conv.padW = someOf(0, 3);
  conv.dilationH = someOf(1, 3);
  conv.dilationW = someOf(1, 3);
  const auto fits = [](std::int64_t filter, std::int64_t dilation, std::int64_t pad) {
    return std::max<std::int64_t>(1, dilation * (filter - 1) + 1 - 2 * pad);
  };
  conv.h = fits(conv.y, conv.dilationH, conv.padH) + someOf(0, 9);
  conv.w = fits(conv.x, conv.dilationW, conv.padW) + someOf(0, 9);
  conv.input = types.input;
  conv.result = types.result;
  return conv;
}

void checkAgainstLoops(const Problem& problem) {
  const std::vector<Tensor> exact = inputsOf(problem, Values::smallIntegers);
  const auto result = computeReference(problem, exact);
  if (!result) {
    RC_FAIL(nameOf(problem) + ": " + result.error().message);
  }
  if (valuesOf(*result) != naive(problem, exact)) {
    RC_FAIL(nameOf(problem));
  }

  const std::vector<Tensor> reals = inputsOf(problem, Values::reals);
  Tensor expected{{resultOf(problem).shape, ElementType::f64}, {}};
  const std::vector<double> loops = naive(problem, reals);
  expected.data.resize(loops.size() * sizeof(double));
  std::memcpy(expected.data.data(), loops.data(), expected.data.size());
  const auto mismatch =
      compare(computeReference(problem, reals).value(), expected, toleranceFor(problem, false));
  RC_ASSERT(mismatch.has_value());
  if (*mismatch) {
    RC_FAIL(nameOf(problem) + ": " + (*mismatch)->describe());
  }
}

RC_GTEST_PROP(Reference, OfAMatmulEqualsPlainLoops, ()) { checkAgainstLoops(someMatmul()); }

RC_GTEST_PROP(Reference, OfAConvolutionEqualsPlainLoops, ()) { checkAgainstLoops(someConv()); }

/// All 256 values of i8, and sums that f32 cannot hold.
std::vector<Tensor> wideInputs(const Problem& problem) {
  std::vector<Tensor> inputs = inputsOf(problem, Values::smallIntegers);
  for (Tensor& tensor : inputs) {
    for (std::size_t i = 0; i < tensor.data.size(); ++i) {
      tensor.data[i] = static_cast<std::byte>(i * 37 + 128);
    }
  }
  return inputs;
}

TEST(Reference, IsExactForAllOfI8) {
  const Problem problem = Matmul{.m = 3,
                                 .n = 4,
                                 .k = 5000,
                                 .lhs = ElementType::i8,
                                 .rhs = ElementType::i8,
                                 .result = ElementType::i32};
  std::vector<Tensor> inputs = wideInputs(problem);
  EXPECT_EQ(valuesOf(computeReference(problem, inputs).value()), naive(problem, inputs));
  std::fill(inputs[0].data.begin(), inputs[0].data.end(), std::byte{0x80});
  std::fill(inputs[1].data.begin(), inputs[1].data.end(), std::byte{0x80});
  EXPECT_EQ(valuesOf(computeReference(problem, inputs).value()),
            std::vector<double>(12, 5000.0 * 128 * 128));
}

TEST(Reference, WrapsLikeI32) {
  const Problem problem = Matmul{.m = 1,
                                 .n = 1,
                                 .k = 2,
                                 .lhs = ElementType::i32,
                                 .rhs = ElementType::i32,
                                 .result = ElementType::i32};
  std::vector<Tensor> inputs = inputsOf(problem, Values::smallIntegers);
  const std::array<std::int32_t, 2> lhs = {2147483647, -2147483647 - 1};
  const std::array<std::int32_t, 2> rhs = {2147483646, 123456789};
  std::memcpy(inputs[0].data.data(), lhs.data(), 8);
  std::memcpy(inputs[1].data.data(), rhs.data(), 8);
  std::uint32_t expected = 0;
  for (int i = 0; i < 2; ++i) {
    expected += static_cast<std::uint32_t>(lhs[i]) * static_cast<std::uint32_t>(rhs[i]);
  }
  EXPECT_EQ(valuesOf(computeReference(problem, inputs).value()),
            std::vector<double>{static_cast<double>(static_cast<std::int32_t>(expected))});
}

TEST(Reference, NamesAnInputOfTheWrongType) {
  const Problem problem = Matmul{.m = 2, .n = 3, .k = 4};
  std::vector<Tensor> inputs = inputsOf(problem, Values::reals);
  inputs[1] = makeInput({{4, 3}, ElementType::f16}, Values::reals, 1, 1);
  EXPECT_THAT(computeReference(problem, inputs).error().message,
              testing::HasSubstr("must be 4x3xf32 (48 bytes), not 4x3xf16 (24 bytes)"));
  inputs.pop_back();
  EXPECT_THAT(computeReference(problem, inputs).error().message,
              testing::HasSubstr("takes 2 inputs, not 1"));
}

std::ptrdiff_t threadsOfThisProcess() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

TEST(Reference, LeavesNoThreadsAndMayBeForked) {
  const Problem matmul = Matmul{.m = 256, .n = 256, .k = 256};
  const std::vector<Tensor> inputs = inputsOf(matmul, Values::smallIntegers);
  const std::ptrdiff_t before = threadsOfThisProcess();
  const auto parent = computeReference(matmul, inputs);
  Conv conv{.n = 4, .c = 32, .h = 16, .w = 16, .k = 32, .y = 3, .x = 3};
  for (const auto direction :
       {ConvDirection::forward, ConvDirection::backwardData, ConvDirection::weightBackward}) {
    conv.direction = direction;
    ASSERT_TRUE(computeReference(conv, inputsOf(conv, Values::reals)));
  }
  EXPECT_EQ(threadsOfThisProcess(), before);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a hang in the child must not become a hang of the test
    const auto again = computeReference(matmul, inputs);
    _exit(again && again->data == parent->data ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hone::verify
