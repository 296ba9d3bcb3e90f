#include <gtest/gtest.h>

#include "base/random.h"
#include "search/constraints/listing.h"
#include "search/constraints/test_constraints.h"
#include "search/constraints/test_z3.h"

namespace hone::search {
namespace {

/// Checks that every listed point is a solution for z3, and that z3 finds no others.
void checkAgainstSolver(const iree::PipelineConstraints& pipeline, std::size_t expected) {
  const auto constraints = Constraints::parse(pipeline.smtLib);
  ASSERT_TRUE(constraints) << constraints.error().message;
  const auto listing = listPoints(*constraints, listKnobs(pipeline));
  ASSERT_TRUE(listing) << listing.error().message;
  ASSERT_TRUE(listing->complete);
  const Space& space = listing->space;
  EXPECT_EQ(space.size(), expected) << pipeline.pipeline;
  Z3Constraints solver(pipeline.smtLib, space.knobs());
  for (std::size_t i = 0; i < space.size(); ++i) {
    ASSERT_TRUE(solver.accepts(space.point(i))) << pipeline.pipeline << " point " << i;
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    solver.block(space.point(i));
  }
  EXPECT_TRUE(solver.isExhausted()) << pipeline.pipeline;
}

TEST(ListingAndZ3, AgreeOnLargeMatmulOnGfx942) {
  const auto all = constraintsFor("rocm:gfx942", largeMatmul());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  checkAgainstSolver((*all)[0], 1369);
  checkAgainstSolver((*all)[1], 606);
}

TEST(ListingAndZ3, AgreeOnLargeMatmulOnSm80) {
  const auto all = constraintsFor("cuda:sm_80", largeMatmul());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  checkAgainstSolver((*all)[0], 1401);
  checkAgainstSolver((*all)[1], 1016);
}

TEST(ListingAndZ3, AgreeOnAllConvolutionPipelines) {
  const auto all = constraintsFor("rocm:gfx942", model::Conv{.n = 2,
                                                             .c = 64,
                                                             .h = 10,
                                                             .w = 18,
                                                             .k = 64,
                                                             .y = 3,
                                                             .x = 3,
                                                             .input = model::ElementType::f16});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3u);
  checkAgainstSolver((*all)[0], 778);
  checkAgainstSolver((*all)[1], 1717);
  checkAgainstSolver((*all)[2], 3);
}

TEST(ListingAndZ3, AgreeOnAttention) {
  const auto all = constraintsFor("rocm:gfx942", largeAttention());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1u);
  checkAgainstSolver(all->front(), 162);
}

TEST(ListingAndZ3, DetectExtraAndMissingPoints) {
  const std::string text = "(declare-const x Int) (assert (<= 1 x 3))";
  Z3Constraints solver(text, {{"x", {}}});
  EXPECT_FALSE(solver.accepts(std::vector<std::int64_t>{4}));
  solver.block(std::vector<std::int64_t>{1});
  solver.block(std::vector<std::int64_t>{2});
  EXPECT_FALSE(solver.isExhausted());
  EXPECT_EQ(solver.any(), std::vector<std::int64_t>{3});
}

}  // namespace
}  // namespace hone::search
