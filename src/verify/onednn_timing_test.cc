#include "verify/onednn_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "verify/onednn_plans.h"
#include "verify/tensor.h"

namespace hone::verify {
namespace {

using model::Activation;
using model::Attention;
using model::Conv;
using model::ConvAxis;
using model::ConvDirection;
using model::ConvLayout;
using model::ElementType;
using model::Matmul;
using model::Problem;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

Numbers numbersIn(const std::byte* data, const model::TensorType& type) {
  const Tensor tensor{type, {data, data + type.bytes()}};
  Numbers numbers(static_cast<std::size_t>(type.count()));
  readElements(tensor, 0, numbers);
  return numbers;
}

void softmax(double* row, std::int64_t length) {
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    row[i] = std::exp(row[i]);
    sum += row[i];
  }
  std::for_each(row, row + length, [&](double& value) { value /= sum; });
}

double activated(Activation activation, double value) {
  switch (activation) {
    case Activation::relu:
      return std::max(value, 0.0);
    case Activation::gelu:
      return value / 2 * (1 + std::erf(value / std::numbers::sqrt2));
    default:
      return value;
  }
}

Numbers loops(const Matmul& p, const std::vector<Numbers>& inputs) {
  Numbers result;
  for (std::int64_t b = 0; b < std::max<std::int64_t>(p.batch, 1); ++b) {
    for (std::int64_t m = 0; m < p.m; ++m) {
      for (std::int64_t n = 0; n < p.n; ++n) {
        double sum = p.epilogue.bias ? inputs[2][static_cast<std::size_t>(n)] : 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          const auto l = b * p.m * p.k + (p.transposeLhs ? k * p.m + m : m * p.k + k);
          const auto r = b * p.k * p.n + (p.transposeRhs ? n * p.k + k : k * p.n + n);
          sum += inputs[0][static_cast<std::size_t>(l)] * inputs[1][static_cast<std::size_t>(r)];
        }
        result.push_back(activated(p.epilogue.activation, sum));
      }
      if (p.epilogue.activation == Activation::softmax) {
        softmax(&result[result.size() - static_cast<std::size_t>(p.n)], p.n);
      }
    }
  }
  return result;
}

Numbers loops(const Attention& p, const std::vector<Numbers>& inputs) {
  const Matmul scores{
      .batch = p.batch, .m = p.queries, .n = p.keys, .k = p.depth, .transposeRhs = true};
  Numbers weights = loops(scores, {inputs[0], inputs[1]});
  for (double& weight : weights) {
    weight /= std::sqrt(static_cast<double>(p.depth));
  }
  for (std::size_t row = 0; row < weights.size(); row += static_cast<std::size_t>(p.keys)) {
    softmax(&weights[row], p.keys);
  }
  return loops(Matmul{.batch = p.batch, .m = p.queries, .n = p.depth, .k = p.keys},
               {weights, inputs[2]});
}

/// A position in a tensor of items, channels and three spatial dimensions, in the layout.
struct Place {
  std::array<std::int64_t, 5> at;     // n, c, d, h, w
  std::array<std::int64_t, 5> sizes;  // the same

  [[nodiscard]] std::size_t offset(ConvLayout layout) const {
    const std::array<std::size_t, 5> order = layout == ConvLayout::nhwc
                                                 ? std::array<std::size_t, 5>{0, 2, 3, 4, 1}
                                                 : std::array<std::size_t, 5>{0, 1, 2, 3, 4};
    std::int64_t offset = 0;
    for (const std::size_t dimension : order) {
      offset = offset * sizes[dimension] + at[dimension];
    }
    return static_cast<std::size_t>(offset);
  }
};

/// All three directions are the same products, summed up into another of the three tensors.
Numbers loops(const Conv& p, const std::vector<Numbers>& inputs) {
  Numbers result(static_cast<std::size_t>(resultOf(p).count()));
  std::vector<ConvAxis> a = p.axes();
  a.insert(a.begin(), 3 - a.size(), ConvAxis{});
  const std::int64_t cg = p.c / p.groups;
  const std::int64_t kg = p.k / p.groups;
  const auto product = [&](std::int64_t n, std::int64_t k, std::int64_t c, std::int64_t window,
                           std::int64_t tap) {
    std::array<std::int64_t, 3> out{};
    std::array<std::int64_t, 3> in{};
    std::array<std::int64_t, 3> at{};
    for (std::size_t i = 3; i-- > 0;) {
      out[i] = window % a[i].out();
      window /= a[i].out();
      at[i] = tap % a[i].filter;
      tap /= a[i].filter;
      in[i] = out[i] * a[i].stride - a[i].pad + at[i] * a[i].dilation;
      if (in[i] < 0 || in[i] >= a[i].image) {
        return;
      }
    }
    const Place image{{n, k / kg * cg + c, in[0], in[1], in[2]},
                      {p.n, p.c, a[0].image, a[1].image, a[2].image}};
    const Place filter{{k, c, at[0], at[1], at[2]},
                       {p.k, cg, a[0].filter, a[1].filter, a[2].filter}};
    const Place output{{n, k, out[0], out[1], out[2]},
                       {p.n, p.k, a[0].out(), a[1].out(), a[2].out()}};
    const std::size_t i = image.offset(p.layout);
    const std::size_t f = filter.offset(p.layout);
    const std::size_t o = output.offset(p.layout);
    switch (p.direction) {
      case ConvDirection::forward:
        result[o] += inputs[0][i] * inputs[1][f];
        break;
      case ConvDirection::backwardData:
        result[i] += inputs[0][o] * inputs[1][f];
        break;
      case ConvDirection::weightBackward:
        result[f] += inputs[0][i] * inputs[1][o];
        break;
    }
  };
  for (std::int64_t n = 0; n < p.n; ++n) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      for (std::int64_t c = 0; c < cg; ++c) {
        for (std::int64_t window = 0; window < a[0].out() * a[1].out() * a[2].out(); ++window) {
          for (std::int64_t tap = 0; tap < a[0].filter * a[1].filter * a[2].filter; ++tap) {
            product(n, k, c, window, tap);
          }
        }
      }
    }
  }
  return result;
}

/// The forward convolution's bias and activation on top.
void addEpilogue(const Conv& p, const std::vector<Numbers>& inputs, Numbers& result) {
  const auto channels = static_cast<std::size_t>(p.k);
  const std::size_t window = result.size() / static_cast<std::size_t>(p.n) / channels;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t channel = p.layout == ConvLayout::nhwc ? i % channels : i / window % channels;
    const double bias = p.epilogue.bias ? inputs[2][channel] : 0;
    result[i] = activated(p.epilogue.activation, result[i] + bias);
  }
}

Numbers expected(const Problem& problem, PlainTensors& tensors) {
  std::vector<Numbers> inputs;
  for (const model::TensorType& type : operandsOf(problem)) {
    inputs.push_back(numbersIn(tensors.data(inputs.size()), type));
  }
  Numbers result = std::visit([&](const auto& kind) { return loops(kind, inputs); }, problem);
  if (const auto* conv = std::get_if<Conv>(&problem)) {
    addEpilogue(*conv, inputs, result);
  }
  return result;
}

Conv conv(std::int64_t spatial, ConvLayout layout, ConvDirection direction) {
  Conv conv{.direction = direction,
            .layout = layout,
            .n = 2,
            .c = 6,
            .w = 9,
            .k = 4,
            .x = 3,
            .strideW = 2,
            .padW = 1,
            .groups = 2};
  conv.spatial = spatial;
  if (spatial > 1) {
    conv.h = 7;
    conv.y = 2;
    conv.dilationH = 2;
  }
  if (spatial > 2) {
    conv.d = 5;
    conv.z = 3;
    conv.padD = 2;
  }
  return conv;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const std::int64_t batch : {0, 1, 3}) {
    for (const bool transposed : {false, true}) {
      all.emplace_back(Matmul{.batch = batch,
                              .m = 17,
                              .n = 33,
                              .k = 40,
                              .transposeLhs = transposed && batch != 1,
                              .transposeRhs = transposed});
    }
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::softmax}) {
      Matmul fused{.batch = batch, .m = 5, .n = 24, .k = 12};
      fused.epilogue = {.bias = true, .activation = activation};
      all.emplace_back(fused);
    }
  }
  for (const ElementType result : {ElementType::f32, ElementType::bf16}) {
    all.emplace_back(Matmul{.m = 16,
                            .n = 16,
                            .k = 32,
                            .lhs = ElementType::bf16,
                            .rhs = ElementType::bf16,
                            .result = result});
  }
  all.emplace_back(Matmul{.batch = 2,
                          .m = 16,
                          .n = 16,
                          .k = 32,
                          .lhs = ElementType::i8,
                          .rhs = ElementType::i8,
                          .result = ElementType::i32});
  for (const ConvLayout layout : {ConvLayout::nhwc, ConvLayout::nchw}) {
    for (const ConvDirection direction :
         {ConvDirection::forward, ConvDirection::backwardData, ConvDirection::weightBackward}) {
      for (const std::int64_t spatial : {1, 2, 3}) {
        all.emplace_back(conv(spatial, layout, direction));
      }
      Conv single = conv(2, layout, direction);
      single.groups = 1;
      all.emplace_back(single);
      single.input = ElementType::bf16;
      all.emplace_back(single);
    }
    Conv fused = conv(2, layout, ConvDirection::forward);
    fused.epilogue = {.bias = true, .activation = Activation::gelu};
    all.emplace_back(fused);
    fused.input = ElementType::i8;
    fused.result = ElementType::i32;
    fused.epilogue = {.activation = Activation::relu};
    all.emplace_back(fused);
  }
  for (const ElementType type : {ElementType::f32, ElementType::bf16}) {
    all.emplace_back(Attention{.batch = 2, .queries = 7, .keys = 9, .depth = 16, .type = type});
  }
  return all;
}

TEST(OneDnnPlans, ComputeTheProblemInEveryLayout) {
  for (const Problem& problem : problems()) {
    ASSERT_TRUE(model::check(problem)) << nameOf(problem);
    ASSERT_TRUE(checkTypes(problem)) << nameOf(problem);
    for (const Layouts layouts : {Layouts::plain, Layouts::chosen}) {
      PlainTensors tensors(problem);
      const bool isBfloat = operandsOf(problem)[0].element == ElementType::bf16;
      try {
        OneDnnCall call = planOf(problem, tensors, layouts);
        call.execute();
        call.execute();  // a call may not change what the next one reads
      } catch (const dnnl::error& error) {
        EXPECT_EQ(error.status, dnnl_unimplemented) << nameOf(problem) << ": " << error.message;
        EXPECT_TRUE(isBfloat) << nameOf(problem);  // a CPU may have none
        continue;
      }
      const Numbers result = numbersIn(tensors.data(tensors.resultIndex()), resultOf(problem));
      const Numbers right = expected(problem, tensors);
      ASSERT_EQ(result.size(), right.size());
      const double tolerance = isBfloat ? 0.03 : 1e-4;
      for (std::size_t i = 0; i < right.size(); ++i) {
        ASSERT_NEAR(result[i], right[i], tolerance * (1 + std::abs(right[i])))
            << nameOf(problem) << " at " << i;
      }
    }
  }
}

TEST(OneDnnTiming, GivesATimeForEveryRepetition) {
  for (const int threads : {1, 2}) {
    const auto times = timeOneDnn(Matmul{.m = 64, .n = 64, .k = 64}, threads, 3, 4);
    ASSERT_TRUE(times) << times.error().message;
    EXPECT_EQ(times->wallNs.size(), 4u);
    EXPECT_EQ(times->cpuNs.size(), 4u);
    EXPECT_THAT(times->wallNs, Each(Gt(0)));
    EXPECT_NE(times->implementation, "");
  }
}

TEST(OneDnnTiming, NamesThePrimitivesOfAnAttention) {
  const auto times =
      timeOneDnn(Attention{.batch = 2, .queries = 8, .keys = 8, .depth = 8}, 1, 1, 1);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(std::count(times->implementation.begin(), times->implementation.end(), '+'), 2);
  EXPECT_FALSE(times->weightsPrepacked);
}

std::string refusal(const Problem& problem) {
  const auto times = timeOneDnn(problem, 1, 1, 1);
  EXPECT_FALSE(times) << nameOf(problem);
  EXPECT_TRUE(times || times.error().fault == Fault::user);
  return times ? "" : times.error().message;
}

TEST(OneDnnTiming, WhatTheLibraryCannotDoIsTheUsersError) {
  const auto typed = [](ElementType lhs, ElementType rhs, ElementType result) {
    return Matmul{.m = 4, .n = 4, .k = 4, .lhs = lhs, .rhs = rhs, .result = result};
  };
  using enum ElementType;
  EXPECT_EQ(refusal(typed(f16, f16, f32)), "oneDNN has no f16 on this CPU");
  EXPECT_EQ(refusal(typed(bf16, bf16, f16)), "oneDNN has no f16 on this CPU");
  EXPECT_EQ(refusal(typed(f32, bf16, f32)), "oneDNN has no f32 x bf16 -> f32 on this CPU");
  EXPECT_EQ(refusal(typed(i8, i8, i8)), "oneDNN has no i8 x i8 -> i8 on this CPU");
  EXPECT_EQ(refusal(typed(f64, f64, f64)), "oneDNN has no f64 x f64 -> f64 on this CPU");
  EXPECT_EQ(refusal(Attention{.type = f16}), "oneDNN has no f16 on this CPU");
  Conv integers = conv(2, ConvLayout::nhwc, ConvDirection::weightBackward);
  integers.input = i8;
  integers.result = i32;
  EXPECT_THAT(refusal(integers), HasSubstr("no optimized code for conv_wrw_"));
  EXPECT_THAT(refusal(Matmul{}), HasSubstr("m"));
  const auto none = timeOneDnn(Matmul{.m = 4, .n = 4, .k = 4}, 0, 1, 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("at least 1"));
}

}  // namespace
}  // namespace hone::verify
