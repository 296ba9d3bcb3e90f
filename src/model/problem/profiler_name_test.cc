#include "model/problem/profiler_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/problem/test_problems.h"

namespace hone::model {
namespace {

using testing::HasSubstr;

std::string profilerNameFault(std::string_view name) {
  const auto problem = problemFromProfilerName(name);
  return problem ? "" : problem.error().message;
}

TEST(ProfilerName, NamesFusedFormsAndOtherKinds) {
  const Problem fused = problemFromProfilerName("matmul_bias_gelu_8x16x32_f16t_f16n_f32t").value();
  EXPECT_EQ(nameOf(fused), "matmul_8x16x32_f16_f16_f32_tb_bias_gelu");
  EXPECT_EQ(profilerKind(fused), "matmul_bias_gelu");
  EXPECT_EQ(profilerKind(problemFromProfilerName("attention_4x8x16x32_f32t_f32t_f32t").value()),
            "attention");
  EXPECT_EQ(nameOf(problemFromProfilerName(
                       "conv3d_relu_fwd_1x4x5x6x8_16x3x3x3_s1x1x1_p1x1x1_d1x1x1_g1_f32ndhwc_"
                       "f32ndhwc_f32ndhwc")
                       .value()),
            "conv3d_fwd_ndhwc_1x8x4x5x6_k16_3x3x3_s1x1x1_p1x1x1_d1x1x1_g1_f32_relu");
  EXPECT_FALSE(problemFromProfilerName("matmul_relu_bias_8x16x32_f16t_f16n_f32t"));
  EXPECT_FALSE(problemFromProfilerName("attention_4x8x16x32_f32t_f32t_f16t"));
}

TEST(ProfilerName, NamesMatmuls) {
  const Problem problem = Matmul{.m = 3456,
                                 .n = 1024,
                                 .k = 2048,
                                 .lhs = ElementType::f16,
                                 .rhs = ElementType::f16,
                                 .result = ElementType::f16};
  EXPECT_EQ(profilerName(problem), "matmul_3456x1024x2048_f16t_f16t_f16t");
  EXPECT_EQ(problemFromProfilerName("matmul_3456x1024x2048_f16t_f16t_f16t").value(), problem);
  EXPECT_EQ(problemFromProfilerName("matmul_3456x1024x2048_f16").value(), problem);
  EXPECT_EQ(problemFromProfilerName("matmul_splitk_3456x1024x2048_f16t_f16t_f16t").value(),
            problem);
}

TEST(ProfilerName, NamesBatchLayoutsAndIntegers) {
  const Problem problem = Matmul{.batch = 16,
                                 .m = 512,
                                 .n = 64,
                                 .k = 128,
                                 .transposeRhs = true,
                                 .lhs = ElementType::i8,
                                 .rhs = ElementType::i8,
                                 .result = ElementType::i32};
  EXPECT_EQ(profilerName(problem), "batch_matmul_16x512x64x128_s8t_s8n_s32t");
  EXPECT_EQ(problemFromProfilerName("batch_matmul_16x512x64x128_i8t_i8n_i32t").value(), problem);
}

TEST(ProfilerName, NamesConvolutions) {
  EXPECT_EQ(profilerName(Conv{.direction = ConvDirection::weightBackward,
                              .n = 16,
                              .c = 64,
                              .h = 56,
                              .w = 48,
                              .k = 128,
                              .y = 3,
                              .x = 5,
                              .strideH = 2,
                              .padW = 1,
                              .groups = 4,
                              .input = ElementType::f16}),
            "conv2d_wrw_16x56x48x64_128x3x5_s2x1_p0x1_d1x1_g4_f16nhwc_f16nhwc_f32nhwc");
}

TEST(ProfilerName, ErrorsNameInvalidPart) {
  EXPECT_THAT(profilerNameFault("mat"), HasSubstr("invalid operation name 'mat': unknown kind"));
  EXPECT_THAT(profilerNameFault("matmul_1x2_f32t_f32t_f32t"),
              HasSubstr("expected 3 sizes, got '1x2'"));
  EXPECT_THAT(profilerNameFault("matmul_1x2x3_f32t_f32t"),
              HasSubstr("after the kind, got 3 parts"));
  EXPECT_THAT(profilerNameFault("matmul_1x2xk_f32t_f32t_f32t"), HasSubstr("invalid size 'k'"));
  EXPECT_THAT(profilerNameFault("matmul_1x2x3_f32t_f32t_f32"), HasSubstr("must end in t"));
  EXPECT_THAT(profilerNameFault("matmul_1x2x3_f32t_f32t_f32n"), HasSubstr("column-major result"));
  EXPECT_THAT(profilerNameFault("matmul_1x2x3_f31t_f32t_f32t"), HasSubstr("unknown type 'f31'"));
  EXPECT_THAT(profilerNameFault("matmul_0x2x3_f32t_f32t_f32t"), HasSubstr("m must be at least 1"));
  EXPECT_THAT(profilerNameFault("batch_matmul_0x2x3x4_f32t_f32t_f32t"),
              HasSubstr("batch must be at least 1"));
  EXPECT_THAT(
      profilerNameFault("conv2d_fwd_1x8x8x1_1x3x3_s1x1_p0x0_d1x1_g1_f32nhwc_f32nchw_f32nhwc"),
      HasSubstr("same layout"));
}

RC_GTEST_PROP(ProfilerName, RoundTrips, ()) {
  const Problem problem = *anyProblem();
  RC_ASSERT(problemFromProfilerName(profilerName(problem)).value() == problem);
}

RC_GTEST_PROP(ProfilerName, ParsesOrNamesAnyBytes, ()) {
  std::string name = *rc::gen::oneOf(
      rc::gen::string<std::string>(),
      rc::gen::map(anyProblem(), [](const Problem& problem) { return profilerName(problem); }));
  if (!name.empty()) {
    name[*rc::gen::inRange<std::size_t>(0, name.size())] = *rc::gen::arbitrary<char>();
  }
  if (const auto problem = problemFromProfilerName(name)) {
    RC_ASSERT(check(*problem).has_value());
  } else {
    RC_ASSERT(problem.error().message.starts_with("invalid operation name '"));
  }
}

}  // namespace
}  // namespace hone::model
