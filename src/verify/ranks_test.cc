#include "verify/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace hone::verify {
namespace {

Tensor scores(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  Tensor tensor{{std::move(shape), model::ElementType::f32},
                std::vector<std::byte>(values.size() * sizeof(float))};
  std::ranges::copy(std::as_bytes(std::span(values)), tensor.data.begin());
  return tensor;
}

TEST(Ranks, AcceptSwapsWithinGap) {
  const Tensor expected = scores({1, 4}, {0.1F, 0.5F, 0.49F, 0.2F});
  const Tensor swapped = scores({1, 4}, {0.1F, 0.49F, 0.5F, 0.2F});
  EXPECT_FALSE(compareRanks(swapped, expected, 0.02));
  EXPECT_TRUE(compareRanks(swapped, expected, 0.005));
}

TEST(Ranks, NameRowAndClasses) {
  const Tensor expected = scores({2, 3}, {1, 2, 3, 3, 2, 1});
  const Tensor actual = scores({2, 3}, {1, 2, 3, 3, 1, 2});
  const auto mismatch = compareRanks(actual, expected, 0.5);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->describe(),
            "row 1: class 2 is ahead of class 1, which has place 2 in the reference");
}

TEST(Ranks, CompareFiveBestOnly) {
  std::vector<float> values = {9, 8, 7, 6, 5, 4, 3};
  const Tensor expected = scores({7}, values);
  std::swap(values[5], values[6]);
  EXPECT_FALSE(compareRanks(scores({7}, values), expected, 0.1));
  std::swap(values[4], values[5]);  // the fifth place goes to the last class
  EXPECT_TRUE(compareRanks(scores({7}, values), expected, 0.1));
}

TEST(Ranks, RecognizeScoresByShape) {
  const std::vector<float> values(24);
  EXPECT_TRUE(isClassification(scores({24}, values)));
  EXPECT_TRUE(isClassification(scores({2, 12}, values)));
  EXPECT_TRUE(isClassification(scores({1, 24, 1, 1}, values)));
  EXPECT_FALSE(isClassification(scores({2, 3, 4}, values)));
  EXPECT_FALSE(isClassification(scores({24, 1}, values)));
}

}  // namespace
}  // namespace hone::verify
