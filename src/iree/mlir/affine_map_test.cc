#include "iree/mlir/affine_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace hone::iree {
namespace {

using Loops = std::vector<std::size_t>;

TEST(AffineMap, DistinguishesPlainIndicesFromSums) {
  const auto indices =
      affineIndices("affine_map<(d0, d1, d2, d3, d14) -> (d0, d1 * 2 + d14, d3 + d3, 0, d2)>");
  ASSERT_EQ(indices.size(), 5u);
  EXPECT_EQ(indices[0].only, 0u);
  EXPECT_EQ(indices[1].loops, (Loops{1, 14}));
  EXPECT_FALSE(indices[1].only);
  EXPECT_EQ(indices[2].loops, Loops{3});
  EXPECT_FALSE(indices[2].only);
  EXPECT_TRUE(indices[3].loops.empty());
  EXPECT_EQ(indices[4].only, 2u);
}

TEST(AffineMap, IgnoresSymbolsAndOperators) {
  const auto indices = affineIndices("affine_map<(d0)[s0] -> (d0 floordiv s0, s0 mod 2)>");
  ASSERT_EQ(indices.size(), 2u);
  EXPECT_EQ(indices[0].loops, Loops{0});
  EXPECT_TRUE(indices[1].loops.empty());
}

TEST(AffineMap, ReturnsNoIndicesForScalars) {
  EXPECT_TRUE(affineIndices("affine_map<(d0, d1) -> ()>").empty());
  EXPECT_TRUE(affineIndices("").empty());
  EXPECT_TRUE(affineIndices("array<i64: 1>").empty());
}

RC_GTEST_PROP(AffineMap, SurvivesGarbage, ()) {
  (void)affineIndices(*rc::gen::string<std::string>());
  (void)affineIndices("-> (" + *rc::gen::string<std::string>() + ")");
}

}  // namespace
}  // namespace hone::iree
