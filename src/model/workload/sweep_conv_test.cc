#include "model/workload/sweep_conv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Extents, ApplyToAllOrToEachDimension) {
  EXPECT_EQ(extentsFrom("--image", "28:56:28,7x5", 2).value(),
            (std::vector<Extents>{{28, 28}, {56, 56}, {7, 5}}));
  EXPECT_EQ(extentsFrom("--pad", "0,1x0x2", 3, 0).value(),
            (std::vector<Extents>{{0, 0, 0}, {1, 0, 2}}));
  EXPECT_THAT(extentsFrom("--image", "3x3", 1).error().message,
              HasSubstr("--image: '3x3' does not match a 1-D convolution"));
  EXPECT_THAT(extentsFrom("--image", "3xz", 2).error().message, HasSubstr("'3xz'"));
  EXPECT_FALSE(extentsFrom("--image", "0x1", 2));
}

TEST(ConvSweep, HasEveryCombination) {
  ConvSweep sweep;
  sweep.directions = {ConvDirection::forward, ConvDirection::weightBackward};
  sweep.channels = {4};
  sweep.filters = {8};
  sweep.image = {{5, 6}};
  sweep.filter = {{1, 1}, {3, 3}};
  sweep.stride = sweep.dilation = {{1, 1}};
  sweep.pad = {{0, 0}};
  std::vector<std::string> names;
  const auto problems = expandConvs(sweep).value();
  for (const Problem& problem : problems) {
    names.push_back(nameOf(problem));
  }
  EXPECT_THAT(names, ElementsAre("conv_fwd_nhwc_1x4x5x6_k8_1x1_s1x1_p0x0_d1x1_g1_f32",
                                 "conv_fwd_nhwc_1x4x5x6_k8_3x3_s1x1_p0x0_d1x1_g1_f32",
                                 "conv_wrw_nhwc_1x4x5x6_k8_1x1_s1x1_p0x0_d1x1_g1_f32",
                                 "conv_wrw_nhwc_1x4x5x6_k8_3x3_s1x1_p0x0_d1x1_g1_f32"));
  sweep.filter = {{9, 9}};
  EXPECT_THAT(expandConvs(sweep).error().message, HasSubstr("output is empty"));
  sweep.types = {{ElementType::f16, ElementType::f32, ElementType::f32}};
  EXPECT_THAT(expandConvs(sweep).error().message, HasSubstr("must have the same type"));
}

TEST(AttentionSweep, HasEveryCombination) {
  AttentionSweep sweep;
  sweep.keys = {64, 128};
  const auto problems = expandAttentions(sweep).value();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(nameOf(problems[1]), "attention_1x256x128x64_f32");
}

}  // namespace
}  // namespace hone::model
