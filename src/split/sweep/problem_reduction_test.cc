#include "split/sweep/problem_reduction.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/problem/test_problems.h"
#include "model/workload/workload.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;
using Sizes = std::vector<std::int64_t>;

std::optional<Reduction> parseLine(std::string_view line) {
  const auto problems = model::problemsFromLine(line);
  EXPECT_TRUE(problems && problems->size() == 1) << line;
  return findReduction(problems->front());
}

TEST(ProblemReduction, ReducesMatmulOverK) {
  model::Matmul matmul{.batch = 0, .m = 64, .n = 32, .k = 4096};
  EXPECT_EQ(findReduction(matmul), (Reduction{.kind = ReductionKind::matmul,
                                              .sizes = {4096},
                                              .batchSize = 1,
                                              .mSize = 64,
                                              .nSize = 32}));
  matmul.batch = 3;
  EXPECT_EQ(findReduction(matmul)->outputSize(), 3 * 64 * 32);
  matmul.k = 1;
  EXPECT_FALSE(findReduction(matmul));
}

TEST(ProblemReduction, ReducesWeightBackwardOverBatchAndImage) {
  const auto reduction = parseLine(
      "convbfp16 -n 16 -c 96 -H 48 -W 32 -k 288 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 -j 1 -g 2 -F 4 "
      "--in_layout NHWC --out_layout NHWC --fil_layout NHWC");
  EXPECT_EQ(reduction, (Reduction{.kind = ReductionKind::convolution,
                                  .sizes = {16, 48, 32},
                                  .batchFirst = false,
                                  .batchSize = 48,
                                  .outputChannelSize = 144,
                                  .imageSize = 9,
                                  .depthSize = 2,
                                  .mSize = 48,
                                  .nSize = 144,
                                  .kSize = 16}));
}

TEST(ProblemReduction, TreatsFilterThatDoesNotSlideAsMatmul) {
  EXPECT_EQ(parseLine("conv -n 16 -c 96 -H 48 -W 32 -k 288 -y 1 -x 1 -F 4"),
            (Reduction{.kind = ReductionKind::matmul,
                       .sizes = {16, 48, 32},
                       .batchSize = 1,
                       .mSize = 96,
                       .nSize = 288}));
  // The filter is as large as the image, so it has a single position.
  EXPECT_EQ(parseLine("conv -n 16 -c 96 -H 3 -W 3 -k 288 -y 3 -x 3 -F 4"),
            (Reduction{.kind = ReductionKind::matmul,
                       .sizes = {16},
                       .batchSize = 1,
                       .mSize = 96L * 9,
                       .nSize = 288}));
  EXPECT_EQ(
      parseLine("conv -n 2 -c 96 -H 8 -W 8 -k 288 -y 1 -x 1 -F 1"),
      (Reduction{.kind = ReductionKind::matmul, .sizes = {96}, .mSize = 2L * 64, .nSize = 288}));
}

TEST(ProblemReduction, FollowsLayoutOfForward) {
  const std::string line = "conv -n 2 -c 96 -H 10 -W 12 -k 288 -y 3 -x 1 -F 1";
  Reduction expected{.kind = ReductionKind::convolution,
                     .sizes = {96, 3},
                     .batchFirst = true,
                     .batchSize = 2L * 12,  // the axis along which the filter does not slide
                     .outputChannelSize = 288,
                     .imageSize = 8,
                     .depthSize = 1,
                     .mSize = 2L * 12,
                     .nSize = 288,
                     .kSize = 96};
  EXPECT_EQ(parseLine(line), expected);
  expected.sizes = {3, 96};
  EXPECT_EQ(parseLine(line + " --in_layout NHWC --out_layout NHWC --fil_layout NHWC"), expected);
}

TEST(ProblemReduction, ExchangesChannelsOfBackwardData) {
  EXPECT_EQ(parseLine("conv -n 1 -c 96 -H 10 -W 12 -k 288 -y 3 -x 3 -F 2 --in_layout NHWC "
                      "--out_layout NHWC --fil_layout NHWC"),
            (Reduction{.kind = ReductionKind::convolution,
                       .sizes = {3, 3, 288},
                       .batchFirst = false,
                       .batchSize = 1,
                       .outputChannelSize = 96,
                       .imageSize = 120,
                       .depthSize = 1}));
}

TEST(ProblemReduction, DecidesKindWithoutReduction) {
  EXPECT_EQ(decideKind(model::Matmul{.batch = 0, .m = 4, .n = 4, .k = 1}), ReductionKind::matmul);
  const auto kind = [](const char* line) {
    return decideKind(model::problemsFromLine(line).value().front());
  };
  EXPECT_EQ(kind("conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 1 -x 1 -F 4"), ReductionKind::matmul);
  EXPECT_EQ(kind("conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 1 -x 1 -F 1"), ReductionKind::matmul);
  EXPECT_EQ(kind("conv -n 4 -c 1 -H 20 -W 20 -k 16 -y 1 -x 1 -F 1"), ReductionKind::matmul);
  EXPECT_EQ(kind("conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 3 -x 3 -F 4"), ReductionKind::convolution);
}

TEST(ProblemReduction, IsAbsentForAttention) { EXPECT_FALSE(findReduction(model::Attention{})); }

RC_GTEST_PROP(ProblemReduction, KeepsReductionLengthAndResultSize, ()) {
  const auto problem = *rc::gen::oneOf(model::anyMatmul(), model::anyConv());
  RC_PRE(model::check(problem).has_value());
  const auto reduction = findReduction(problem);
  RC_ASSERT(reduction.has_value() == (model::reductionLength(problem) > 1));
  if (reduction) {
    RC_ASSERT(reduction->reductionSize() == model::reductionLength(problem));
    RC_ASSERT(reduction->outputSize() == model::resultType(problem).count());
  }
}

}  // namespace
}  // namespace hone::split
