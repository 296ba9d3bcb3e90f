#include "model/problem/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "model/problem/test_problems.h"

namespace hone::model {

namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(const std::vector<TensorType>& types) {
  std::vector<std::string> out;
  for (const TensorType& type : types) {
    out.push_back(type.text());
  }
  return out;
}

std::string findFault(const Problem& problem) {
  const auto result = check(problem);
  return result ? "" : result.error().message;
}

std::string problemFault(const json& source) {
  const auto result = problemFrom(source);
  return result ? "" : result.error().message;
}

TEST(Matmul, ComputesShapes) {
  const Problem plain = Matmul{.m = 512, .n = 768, .k = 1024};
  EXPECT_EQ(nameOf(plain), "matmul_512x768x1024_f32");
  EXPECT_THAT(texts(operandTypes(plain)), ElementsAre("512x1024xf32", "1024x768xf32"));
  EXPECT_EQ(resultType(plain).text(), "512x768xf32");
  EXPECT_EQ(reductionLength(plain), 1024);
  EXPECT_DOUBLE_EQ(countFlops(plain), 2.0 * 512 * 768 * 1024);
  EXPECT_DOUBLE_EQ(countBytes(plain), 4.0 * (512 * 1024 + 1024 * 768 + 512 * 768));
}

TEST(Matmul, SupportsBatchTransposesAndTypes) {
  const Problem problem = Matmul{.batch = 4,
                                 .m = 2,
                                 .n = 3,
                                 .k = 5,
                                 .transposeLhs = true,
                                 .transposeRhs = true,
                                 .lhs = ElementType::f16,
                                 .rhs = ElementType::f16};
  EXPECT_EQ(nameOf(problem), "batch_matmul_4x2x3x5_f16_f16_f32_ta_tb");
  EXPECT_THAT(texts(operandTypes(problem)), ElementsAre("4x5x2xf16", "4x3x5xf16"));
  EXPECT_EQ(resultType(problem).text(), "4x2x3xf32");
  EXPECT_DOUBLE_EQ(countFlops(problem), 2.0 * 4 * 2 * 3 * 5);
}

/// Returns 32 images of 128x128 with 64 channels and 96 filters of 3x5, in 2 groups.
Conv sample(ConvDirection direction, ConvLayout layout) {
  return {.direction = direction,
          .layout = layout,
          .n = 32,
          .c = 64,
          .h = 128,
          .w = 128,
          .k = 96,
          .y = 3,
          .x = 5,
          .strideH = 2,
          .strideW = 1,
          .padH = 1,
          .padW = 2,
          .groups = 2};
}

TEST(Conv, ComputesShapesOfEachDirection) {
  const Problem forward = sample(ConvDirection::forward, ConvLayout::nhwc);
  EXPECT_THAT(texts(operandTypes(forward)), ElementsAre("32x128x128x64xf32", "96x3x5x32xf32"));
  EXPECT_EQ(resultType(forward).text(), "32x64x128x96xf32");
  EXPECT_EQ(reductionLength(forward), 32 * 3 * 5);
  const Problem data = sample(ConvDirection::backwardData, ConvLayout::nchw);
  EXPECT_THAT(texts(operandTypes(data)), ElementsAre("32x96x64x128xf32", "96x32x3x5xf32"));
  EXPECT_EQ(resultType(data).text(), "32x64x128x128xf32");
  EXPECT_EQ(reductionLength(data), 48 * 3 * 5);
  const Problem weights = sample(ConvDirection::weightBackward, ConvLayout::nchw);
  EXPECT_THAT(texts(operandTypes(weights)), ElementsAre("32x64x128x128xf32", "32x96x64x128xf32"));
  EXPECT_EQ(resultType(weights).text(), "96x32x3x5xf32");
  EXPECT_EQ(reductionLength(weights), 32 * 64 * 128);
}

TEST(Conv, CountsSameFlopsForAllDirections) {
  const double flops = 2.0 * (32 * 64 * 128 * 96) * (32 * 3 * 5);
  for (const auto direction :
       {ConvDirection::forward, ConvDirection::backwardData, ConvDirection::weightBackward}) {
    EXPECT_DOUBLE_EQ(countFlops(sample(direction, ConvLayout::nhwc)), flops);
  }
}

TEST(Conv, NameContainsAllMembers) {
  EXPECT_EQ(nameOf(Problem(sample(ConvDirection::weightBackward, ConvLayout::nchw))),
            "conv_wrw_nchw_32x64x128x128_k96_3x5_s2x1_p1x2_d1x1_g2_f32");
}

TEST(Conv, SupportsOneAndThreeDimensions) {
  const Problem line = Conv{.n = 2, .c = 3, .w = 10, .k = 4, .x = 3, .padW = 1, .spatial = 1};
  EXPECT_EQ(nameOf(line), "conv1d_fwd_nwc_2x3x10_k4_3_s1_p1_d1_g1_f32");
  EXPECT_THAT(texts(operandTypes(line)), ElementsAre("2x10x3xf32", "4x3x3xf32"));
  EXPECT_EQ(resultType(line).text(), "2x10x4xf32");
  const Problem volume = Conv{.direction = ConvDirection::weightBackward,
                              .layout = ConvLayout::nchw,
                              .n = 2,
                              .c = 6,
                              .h = 5,
                              .w = 4,
                              .k = 8,
                              .y = 3,
                              .x = 2,
                              .groups = 2,
                              .spatial = 3,
                              .d = 7,
                              .z = 3,
                              .strideD = 2};
  EXPECT_EQ(nameOf(volume), "conv3d_wrw_ncdhw_2x6x7x5x4_k8_3x3x2_s2x1x1_p0x0x0_d1x1x1_g2_f32");
  EXPECT_THAT(texts(operandTypes(volume)), ElementsAre("2x6x7x5x4xf32", "2x8x3x3x3xf32"));
  EXPECT_EQ(resultType(volume).text(), "8x3x3x3x2xf32");
  EXPECT_EQ(reductionLength(volume), 2 * 3 * 3 * 3);
  EXPECT_DOUBLE_EQ(countFlops(volume), 2.0 * (2 * 8 * 3 * 3 * 3) * (3 * 3 * 3 * 2));
}

TEST(Epilogue, AddsOperandForBias) {
  const Problem fused =
      Matmul{.m = 2, .n = 3, .k = 4, .epilogue = {.bias = true, .activation = Activation::relu}};
  EXPECT_EQ(nameOf(fused), "matmul_2x3x4_f32_bias_relu");
  EXPECT_THAT(texts(operandTypes(fused)), ElementsAre("2x4xf32", "4x3xf32", "3xf32"));
  EXPECT_THAT(findFault(Matmul{.m = 2,
                               .n = 3,
                               .k = 4,
                               .result = ElementType::i32,
                               .epilogue = {.activation = Activation::gelu}}),
              HasSubstr("gelu requires a floating-point result"));
  EXPECT_THAT(findFault(Conv{.direction = ConvDirection::backwardData, .epilogue = {.bias = true}}),
              HasSubstr("only forward convolutions"));
  EXPECT_THAT(findFault(Conv{.epilogue = {.activation = Activation::softmax}}),
              HasSubstr("softmax is not supported for convolutions"));
}

TEST(Attention, ComputesShapes) {
  const Problem problem = Attention{4, 256, 128, 64, ElementType::f16};
  EXPECT_EQ(nameOf(problem), "attention_4x256x128x64_f16");
  EXPECT_THAT(texts(operandTypes(problem)),
              ElementsAre("4x256x64xf16", "4x128x64xf16", "4x128x64xf16"));
  EXPECT_EQ(resultType(problem).text(), "4x256x64xf16");
  EXPECT_DOUBLE_EQ(countFlops(problem), 4.0 * 4 * 256 * 128 * 64);
  EXPECT_THAT(findFault(Attention{1, 1, 1, 1, ElementType::i8}), HasSubstr("floating-point"));
}

TEST(Check, NamesInvalidSize) {
  EXPECT_THAT(findFault(Matmul{.m = 0, .n = 1, .k = 1}), HasSubstr("m must be at least 1"));
  EXPECT_THAT(findFault(Matmul{.batch = -1, .m = 1, .n = 1, .k = 1}), HasSubstr("batch"));
  EXPECT_THAT(findFault(Conv{.c = 3, .k = 4, .groups = 2}), HasSubstr("groups 2 must divide"));
  EXPECT_THAT(findFault(Conv{.h = 2, .w = 9, .y = 3}), HasSubstr("output is empty"));
  EXPECT_THAT(findFault(Conv{.padW = -1}), HasSubstr("padding"));
  EXPECT_THAT(findFault(Conv{.strideH = 0}), HasSubstr("stride height"));
  EXPECT_THAT(findFault(Conv{.groups = 0}), HasSubstr("groups"));
  EXPECT_THAT(findFault(Conv{.spatial = 4}), HasSubstr("1, 2 or 3 spatial dimensions"));
  EXPECT_THAT(findFault(Conv{.d = 2}), HasSubstr("a 2-D convolution has no depth"));
  EXPECT_EQ(findFault(Conv{.h = 1, .w = 1, .y = 3, .x = 3, .padH = 1, .padW = 1}), "");
}

TEST(Check, RejectsOverflowingSizes) {
  constexpr std::int64_t kHuge = INT64_MAX;
  EXPECT_THAT(findFault(Matmul{.m = kHuge, .n = 1, .k = 1}), HasSubstr("m must be at most"));
  EXPECT_THAT(findFault(Matmul{.batch = 1 << 30, .m = 1 << 30, .n = 1 << 30, .k = 1}),
              HasSubstr("too large"));
  EXPECT_THAT(findFault(Conv{.y = kHuge, .dilationH = kHuge}), HasSubstr("at most"));
  EXPECT_THAT(findFault(Conv{.padH = kHuge}), HasSubstr("at most"));
  EXPECT_THAT(findFault(Conv{.n = 1 << 30, .c = 1 << 30, .h = 8, .w = 8}), HasSubstr("too large"));
}

RC_GTEST_PROP(ProblemProperty, JsonRoundTrips, ()) {
  const Problem problem = *anyProblem();
  const auto again = problemFrom(json::parse(toJson(problem).dump()));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == problem);
}

RC_GTEST_PROP(ProblemProperty, NamesAreEqualIfAndOnlyIfProblemsAreEqual, ()) {
  const Problem a = *anyProblem();
  const Problem b = *anyProblem();
  RC_ASSERT((nameOf(a) == nameOf(b)) == (a == b));
}

RC_GTEST_PROP(ProblemProperty, NameDependsOnEveryMember, ()) {
  const Problem problem = *anyProblem();
  json changed = toJson(problem);
  const auto other = toJson(*rc::gen::suchThat(
      anyProblem(), [&](const Problem& p) { return p.index() == problem.index(); }));
  const auto member = *rc::gen::inRange<std::size_t>(0, changed.size());
  const auto at = std::next(changed.begin(), static_cast<std::ptrdiff_t>(member));
  *at = other.value(at.key(), *at);
  if (const auto next = problemFrom(changed)) {
    RC_ASSERT((nameOf(*next) == nameOf(problem)) == (*next == problem));
  }
}

RC_GTEST_PROP(ProblemProperty, FiguresArePositiveAndConsistent, ()) {
  const Problem problem = *anyProblem();
  RC_ASSERT(reductionLength(problem) > 0);
  RC_ASSERT(countFlops(problem) > 0);
  const bool third = findEpilogue(problem).bias || std::holds_alternative<Attention>(problem);
  RC_ASSERT(operandTypes(problem).size() == (third ? 3 : 2));
  RC_ASSERT(countBytes(problem) >= 3);
}

RC_GTEST_PROP(ProblemProperty, RejectsOrChecksDamagedJson, ()) {
  json damaged = toJson(*anyProblem());
  const auto member = *rc::gen::inRange<std::size_t>(0, damaged.size());
  const std::string key = std::next(damaged.begin(), static_cast<std::ptrdiff_t>(member)).key();
  const std::vector<json> values = {nullptr,   true,       -1, 0,     1.5, 1e300,
                                    INT64_MAX, UINT64_MAX, "", "f32", {1}};
  const auto which = *rc::gen::inRange<std::size_t>(0, values.size() + 1);
  if (which == values.size()) {
    damaged.erase(key);
  } else {
    damaged[key] = values[which];
  }
  if (const auto problem = problemFrom(damaged)) {
    RC_ASSERT(check(*problem).has_value());
    // No member may be truncated or wrapped silently.
    const json again = toJson(*problem);
    for (const auto& [name, value] : again.items()) {
      RC_ASSERT(!damaged.contains(name) || damaged[name] == value);
    }
  } else {
    RC_ASSERT(problem.error().fault == Fault::user);
    RC_ASSERT(!problem.error().message.empty());
  }
}

TEST(ProblemFrom, NamesInvalidMember) {
  json good = toJson(Problem(Matmul{.m = 2, .n = 3, .k = 4}));
  EXPECT_EQ(problemFault(good), "");
  const auto with = [&](const char* member, const json& value) {
    json changed = good;
    changed[member] = value;
    return problemFault(changed);
  };
  EXPECT_THAT(with("kind", "fft"), HasSubstr("'kind' must be"));
  EXPECT_THAT(with("lhs", "f8"), HasSubstr("unknown element type 'f8'"));
  EXPECT_THAT(with("stride", 1), HasSubstr("unknown member 'stride'"));
  EXPECT_THAT(with("m", "2"), HasSubstr("'m' has the wrong type"));
  EXPECT_THAT(with("m", 2.5), HasSubstr("'m' has the wrong type")) << "not cut to 2";
  EXPECT_THAT(with("m", true), HasSubstr("'m' has the wrong type"));
  EXPECT_THAT(with("m", UINT64_MAX), HasSubstr("'m' has the wrong type")) << "not wrapped to -1";
  EXPECT_THAT(with("transpose_lhs", 1), HasSubstr("'transpose_lhs' has the wrong type"));
  EXPECT_THAT(with("m", json::array({"\xff"})), HasSubstr("'m' has the wrong type"));
  good.erase("k");
  EXPECT_THAT(problemFault(good), HasSubstr("'k' is missing"));
  EXPECT_NE(problemFault(json::array()), "");
  EXPECT_NE(problemFault(json()), "");
}

}  // namespace
}  // namespace hone::model
