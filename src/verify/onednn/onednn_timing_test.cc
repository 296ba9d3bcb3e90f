#include "verify/onednn/onednn_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "verify/onednn/onednn_plans.h"
#include "verify/tensor/tensor.h"
#include "verify/test_naive.h"

namespace hone::verify {
namespace {

using model::Activation;
using model::Attention;
using model::Conv;
using model::ConvDirection;
using model::ConvLayout;
using model::ElementType;
using model::Matmul;
using model::Problem;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;

/// Returns a copy of tensor `index`.
Tensor copyTensor(PlainTensors& tensors, std::size_t index, const model::TensorType& type) {
  const std::byte* data = tensors.data(index);
  return {type, {data, data + type.bytes()}};
}

std::vector<double> expected(const Problem& problem, PlainTensors& tensors) {
  std::vector<Tensor> inputs;
  for (const model::TensorType& type : operandTypes(problem)) {
    inputs.push_back(copyTensor(tensors, inputs.size(), type));
  }
  return naive(problem, inputs);
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

TEST(OneDnnPlans, ComputesProblemInEveryLayout) {
  for (const Problem& problem : problems()) {
    ASSERT_TRUE(model::check(problem)) << nameOf(problem);
    ASSERT_TRUE(checkTypes(problem)) << nameOf(problem);
    for (const Layouts layouts : {Layouts::plain, Layouts::chosen}) {
      PlainTensors tensors(problem);
      const bool isBfloat = operandTypes(problem)[0].element == ElementType::bf16;
      try {
        OneDnnCall call = planCall(problem, tensors, layouts);
        call.execute();
        call.execute();  // a call must not change the inputs of the next
      } catch (const dnnl::error& error) {
        EXPECT_EQ(error.status, dnnl_unimplemented) << nameOf(problem) << ": " << error.message;
        EXPECT_TRUE(isBfloat) << nameOf(problem);  // not supported by every CPU
        continue;
      }
      const auto result =
          toNumbers<double>(copyTensor(tensors, tensors.resultIndex(), resultType(problem)));
      const std::vector<double> right = expected(problem, tensors);
      ASSERT_EQ(result.size(), right.size());
      const double tolerance = isBfloat ? 0.03 : 1e-4;
      for (std::size_t i = 0; i < right.size(); ++i) {
        ASSERT_NEAR(result[i], right[i], tolerance * (1 + std::abs(right[i])))
            << nameOf(problem) << " at " << i;
      }
    }
  }
}

TEST(OneDnnTiming, ReturnsOneTimePerRepetition) {
  for (const int threads : {1, 2}) {
    const auto times = timeOneDnn(Matmul{.m = 64, .n = 64, .k = 64}, threads, 3, 4);
    ASSERT_TRUE(times) << times.error().message;
    EXPECT_EQ(times->wallNs.size(), 4u);
    EXPECT_EQ(times->cpuNs.size(), 4u);
    EXPECT_THAT(times->wallNs, Each(Gt(0)));
    EXPECT_NE(times->implementation, "");
  }
}

TEST(OneDnnTiming, NamesPrimitivesOfAttention) {
  const auto times =
      timeOneDnn(Attention{.batch = 2, .queries = 8, .keys = 8, .depth = 8}, 1, 1, 1);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(std::count(times->implementation.begin(), times->implementation.end(), '+'), 2);
  EXPECT_FALSE(times->weightsPrepacked);
}

std::string timingError(const Problem& problem) {
  const auto times = timeOneDnn(problem, 1, 1, 1);
  EXPECT_FALSE(times) << nameOf(problem);
  EXPECT_TRUE(times || times.error().fault == Fault::user);
  return times ? "" : times.error().message;
}

TEST(OneDnnTiming, RejectsUnsupportedProblems) {
  const auto typed = [](ElementType lhs, ElementType rhs, ElementType result) {
    return Matmul{.m = 4, .n = 4, .k = 4, .lhs = lhs, .rhs = rhs, .result = result};
  };
  using enum ElementType;
  EXPECT_EQ(timingError(typed(f16, f16, f32)), "oneDNN does not support f16 on this CPU");
  EXPECT_EQ(timingError(typed(bf16, bf16, f16)), "oneDNN does not support f16 on this CPU");
  EXPECT_EQ(timingError(typed(f32, bf16, f32)),
            "oneDNN does not support f32 x bf16 -> f32 on this CPU");
  EXPECT_EQ(timingError(typed(i8, i8, i8)), "oneDNN does not support i8 x i8 -> i8 on this CPU");
  EXPECT_EQ(timingError(typed(f64, f64, f64)),
            "oneDNN does not support f64 x f64 -> f64 on this CPU");
  EXPECT_EQ(timingError(Attention{.type = f16}), "oneDNN does not support f16 on this CPU");
  Conv integers = conv(2, ConvLayout::nhwc, ConvDirection::weightBackward);
  integers.input = i8;
  integers.result = i32;
  EXPECT_THAT(timingError(integers), HasSubstr("no optimized code for conv_wrw_"));
  EXPECT_THAT(timingError(Matmul{}), HasSubstr("m"));
  const auto none = timeOneDnn(Matmul{.m = 4, .n = 4, .k = 4}, 0, 1, 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("at least 1"));
}

}  // namespace
}  // namespace hone::verify
