#include "knobs/problem_root.h"

#include <gtest/gtest.h>

#include "knobs/test_roots.h"

namespace hone::knobs {
namespace {

void expectSame(const model::Problem& problem, const model::RootOperation& expected) {
  const auto root = rootFrom(problem);
  ASSERT_TRUE(root) << model::nameOf(problem);
  EXPECT_EQ(root->kind, expected.kind) << model::nameOf(problem);
  EXPECT_EQ(root->loops, expected.loops) << model::nameOf(problem);
  EXPECT_EQ(root->inputs, expected.inputs) << model::nameOf(problem);
  EXPECT_EQ(root->outputs, expected.outputs) << model::nameOf(problem);
}

TEST(ProblemRoot, PredictsMatmul) {
  expectSame(model::Matmul{.m = 4, .n = 5, .k = 6}, matmulRoot(4, 5, 6));
  expectSame(model::Matmul{.m = 4, .n = 5, .k = 6, .transposeLhs = true},
             matmulRoot(4, 5, 6, true));
  expectSame(model::Matmul{.m = 4, .n = 5, .k = 6, .transposeRhs = true},
             matmulRoot(4, 5, 6, false, true));
  expectSame(model::Matmul{.batch = 3, .m = 4, .n = 5, .k = 6}, batchMatmulRoot(3, 4, 5, 6));
}

TEST(ProblemRoot, PredictsConvolution) {
  model::Conv conv{
      .layout = model::ConvLayout::nchw, .n = 2, .c = 8, .h = 18, .w = 18, .k = 32, .y = 3, .x = 3};
  expectSame(conv, convRoot(true, 2, 8, 16, 32, 3));
  conv.layout = model::ConvLayout::nhwc;
  const auto root = rootFrom(conv);
  ASSERT_TRUE(root);
  const model::RootOperation expected = convRoot(false, 2, 8, 16, 32, 3);
  EXPECT_EQ(root->loops, expected.loops);
  EXPECT_EQ(root->inputs[0], expected.inputs[0]);
  EXPECT_EQ(root->inputs[1], operand({32, 3, 3, 8}, {{3}, {4}, {5}, {6}}));  // filters first
  EXPECT_EQ(root->outputs, expected.outputs);
}

TEST(ProblemRoot, PredictsAttention) {
  expectSame(model::Attention{2, 32, 40, 16}, attentionRoot(2, 32, 40, 16));
  const auto folded = rootFrom(model::Attention{1, 32, 40, 16});
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->loops.size(), 4U);
  EXPECT_EQ(folded->inputs[1], operand({40, 16}, {{3}, {2}}));
}

TEST(ProblemRoot, IsUnknownIfCompilerDropsAttributes) {
  const model::Conv plain{.n = 2, .c = 8, .h = 18, .w = 18, .k = 32, .y = 3, .x = 3};
  model::Conv once = plain;
  once.n = 1;
  EXPECT_FALSE(rootFrom(once));
  model::Conv backward = plain;
  backward.direction = model::ConvDirection::backwardData;
  EXPECT_FALSE(rootFrom(backward));
  model::Conv grouped = plain;
  grouped.groups = 2;
  EXPECT_FALSE(rootFrom(grouped));
}

}  // namespace
}  // namespace hone::knobs
