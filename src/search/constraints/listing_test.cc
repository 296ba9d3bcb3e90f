#include "search/constraints/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "search/constraints/test_constraints.h"

namespace hone::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Point = std::vector<std::int64_t>;

Result<Listing> listed(const std::string& text, const std::vector<std::string>& knobs,
                       std::size_t limit = kMaxPoints) {
  const Constraints constraints = HONE_TRY(Constraints::parse(text));
  return listPoints(constraints, knobs, limit);
}

std::vector<Point> listedPoints(const Space& space) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < space.size(); ++i) {
    points.emplace_back(space.point(i).begin(), space.point(i).end());
  }
  return points;
}

std::string declare(std::string_view names) {
  std::string text;
  for (const char name : names) {
    text += fmt::format("(declare-const {} Int)\n", name);
  }
  return text;
}

TEST(Listing, SolvesEquations) {
  const auto listing = listed(declare("xyz") +
                                  "(assert (<= 1 x 3)) (assert (<= 4 y 5))\n"
                                  "(assert (= (+ z (* 2 x)) (- y (- 100))))\n",
                              {"x", "y", "z"});
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_TRUE(listing->complete);
  EXPECT_THAT(listedPoints(listing->space),
              ElementsAre(Point{1, 4, 102}, Point{1, 5, 103}, Point{2, 4, 100}, Point{2, 5, 101},
                          Point{3, 4, 98}, Point{3, 5, 99}));
  EXPECT_THAT(listing->space.knobs()[2].values, ElementsAre(98, 99, 100, 101, 102, 103));
}

TEST(Listing, HandlesDivisorsAlternativesAndConditions) {
  const auto listing = listed(declare("xyk") +
                                  "(assert (>= x 1)) (assert (= (mod 12 x) 0))\n"
                                  "(assert (or (= k 0) (= k 7)))\n"
                                  "(assert (= y (ite (= k 0) (* 2 x) (+ x 1))))\n"
                                  "(assert (not (< y 6)))\n",
                              {"x", "k", "y"});
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_THAT(listedPoints(listing->space),
              ElementsAre(Point{3, 0, 6}, Point{4, 0, 8}, Point{6, 0, 12}, Point{6, 7, 7},
                          Point{12, 0, 24}, Point{12, 7, 13}));
}

TEST(Listing, ProjectsOutOtherVariables) {
  const auto listing = listed(declare("xab") +
                                  "(assert (<= 1 x 20)) (assert (<= 2 a 9)) (assert (<= 2 b 9))\n"
                                  "(assert (= x (* a b)))\n",
                              {"x"});
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_THAT(listedPoints(listing->space),
              ElementsAre(Point{4}, Point{6}, Point{8}, Point{9}, Point{10}, Point{12}, Point{14},
                          Point{15}, Point{16}, Point{18}, Point{20}));
}

TEST(Listing, AcceptsAnyValueTimesZero) {
  const auto listing = listed(declare("xy") +
                                  "(assert (<= 0 x 1)) (assert (<= 5 y 6))\n"
                                  "(assert (= (* x y) (* 5 x)))\n",
                              {"x", "y"});
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_THAT(listedPoints(listing->space), ElementsAre(Point{0, 5}, Point{0, 6}, Point{1, 5}));
}

TEST(Listing, IsEmptyIfUnsatisfiable) {
  for (const char* impossible :
       {"(assert (= x 30))", "(assert false)", "(assert (< x 1))", "(assert (= (mod x 11) 10))"}) {
    const auto listing = listed(declare("x") + "(assert (<= 1 x 9))" + impossible, {"x"});
    ASSERT_TRUE(listing) << listing.error().message;
    EXPECT_EQ(listing->space.size(), 0u) << impossible;
    EXPECT_THAT(listing->space.knobs()[0].values, IsEmpty());
  }
}

TEST(Listing, NamesUnboundedVariable) {
  const auto listing = listed(declare("xy") + "(assert (<= 1 x 9)) (assert (< x y))", {"x"});
  ASSERT_FALSE(listing);
  EXPECT_THAT(listing.error().message, HasSubstr("the values of 'y'"));
  const auto zero =
      listed(declare("xy") + "(assert (<= 0 x 1)) (assert (= (* x y) (* 5 x)))", {"x", "y"});
  ASSERT_FALSE(zero);
  EXPECT_THAT(zero.error().message, HasSubstr("'y'"));
  const auto unknown = listed(declare("x") + "(assert (<= 1 x 9))", {"wg_0"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("'wg_0'"));
}

TEST(Listing, SamplesWholeSpaceAboveLimit) {
  const std::string text = declare("xy") + "(assert (<= 1 x 100)) (assert (<= 1 y 10))";
  const auto part = listed(text, {"x", "y"}, 100);
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_FALSE(part->complete);
  EXPECT_EQ(part->space.size(), 100u);
  EXPECT_GT(part->space.knobs()[0].values.back(), 50);
  EXPECT_LT(part->space.knobs()[0].values.front(), 50);
  EXPECT_TRUE(listed(text, {"x", "y"}, 1000)->complete);
  EXPECT_FALSE(listed(text, {"x", "y"}, 999)->complete);
}

/// Returns a random term over a, b and c: a number, sum, product, remainder …
std::string randomTerm(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 9 : 2);
  if (kind == 0) {
    return *rc::gen::element<std::string>("0", "1", "2", "3", "6", "12");
  }
  if (kind == 1) {
    return *rc::gen::element<std::string>("a", "b", "c");
  }
  if (kind == 8) {
    return fmt::format("(ite (< {} {}) {} {})", randomTerm(0), randomTerm(0), randomTerm(depth - 1),
                       randomTerm(depth - 1));
  }
  return fmt::format("({} {} {})", *rc::gen::element<std::string>("+", "*", "-", "*", "mod", "div"),
                     randomTerm(depth - 1), randomTerm(depth - 1));
}

std::string randomCondition(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 3) > 0) {
    return fmt::format("({} {} {})",
                       *rc::gen::element<std::string>("=", "=", "<", "<=", "distinct"),
                       randomTerm(2), randomTerm(1));
  }
  if (*rc::gen::arbitrary<bool>()) {
    return fmt::format("(not {})", randomCondition(depth - 1));
  }
  return fmt::format("({} {} {})", *rc::gen::element<std::string>("or", "and", "=>", "xor"),
                     randomCondition(depth - 1), randomCondition(depth - 1));
}

RC_GTEST_PROP(Listing, EqualsBruteForce, ()) {
  constexpr std::int64_t kLow = -2;
  constexpr std::int64_t kHigh = 7;
  std::string text = declare("abc");
  for (const char* name : {"a", "b", "c"}) {
    text += fmt::format("(assert (<= (- 2) {} 7))\n", name);
  }
  const int assertions = *rc::gen::inRange(0, 4);
  for (int i = 0; i < assertions; ++i) {
    text += fmt::format("(assert {})\n", randomCondition(2));
  }
  RC_LOG(text);
  const auto constraints = Constraints::parse(text);
  RC_ASSERT(constraints.has_value());
  const bool projected = *rc::gen::arbitrary<bool>();
  std::set<Point> expected;
  for (std::int64_t a = kLow; a <= kHigh; ++a) {
    for (std::int64_t b = kLow; b <= kHigh; ++b) {
      for (std::int64_t c = kLow; c <= kHigh; ++c) {
        if (constraints->check({{"a", a}, {"b", b}, {"c", c}}) == Truth::yes) {
          expected.insert(projected ? Point{c, a} : Point{c, a, b});
        }
      }
    }
  }
  const auto listing =
      listPoints(*constraints, projected ? std::vector<std::string>{"c", "a"}
                                         : std::vector<std::string>{"c", "a", "b"});
  RC_ASSERT(listing.has_value());
  RC_ASSERT(listedPoints(listing->space) == std::vector<Point>(expected.begin(), expected.end()));
}

TEST(CompilerListing, HasAllPointsOfLargeMatmul) {
  const auto all = constraintsFor("rocm:gfx942", largeMatmul());
  ASSERT_TRUE(all) << all.error().message;
  const iree::PipelineConstraints& tileAndFuse = all->front();
  ASSERT_EQ(tileAndFuse.pipeline, "TileAndFuse");
  const auto constraints = Constraints::parse(tileAndFuse.smtLib);
  ASSERT_TRUE(constraints) << constraints.error().message;
  const auto listing = listPoints(*constraints, listKnobs(tileAndFuse));
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->space.size(), 1369u);  // as enumerated by z3
  for (const Knob& knob : listing->space.knobs()) {
    EXPECT_EQ(knob.ordered, knob.name != "mma_idx") << knob.name;
  }
}

/// Returns the number of points of each pipeline, as "TileAndFuse 1369".
std::vector<std::string> sizesFor(const std::string& target, const model::Problem& problem) {
  std::vector<std::string> sizes;
  const auto all = constraintsFor(target, problem);
  EXPECT_TRUE(all) << all.error().message;
  for (const iree::PipelineConstraints& one :
       all.value_or(std::vector<iree::PipelineConstraints>())) {
    const auto constraints = Constraints::parse(one.smtLib);
    EXPECT_TRUE(constraints) << constraints.error().message;
    const auto listing = listPoints(*constraints, listKnobs(one));
    EXPECT_TRUE(listing) << listing.error().message;
    sizes.push_back(fmt::format("{} {}", one.pipeline, listing ? listing->space.size() : 0));
  }
  return sizes;
}

TEST(CompilerListing, ListsEveryPipeline) {
  EXPECT_THAT(sizesFor("rocm:gfx942", largeMatmul()),
              ElementsAre("TileAndFuse 1369", "VectorDistribute 606"));
  EXPECT_THAT(sizesFor("cuda:sm_80", largeMatmul()),
              ElementsAre("TileAndFuse 1401", "VectorDistribute 1016"));
  EXPECT_THAT(sizesFor("rocm:gfx942", largeConv()),
              ElementsAre("TileAndFuse 9284", "TileAndFuse 14146", "VectorDistribute 184"));
  EXPECT_THAT(sizesFor("rocm:gfx942", largeAttention()), ElementsAre("VectorDistribute 162"));
}

}  // namespace
}  // namespace hone::search
