#include "split/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <numeric>

#include "split/test_rule_check.h"
#include "trial/test_engine.h"

namespace hone::split {
namespace {

using model::Reduction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Rule, SplitsFromTheOutermostLoopOn) {
  Reduction reduction;
  reduction.sizes = {16, 12, 8};
  EXPECT_THAT(*sizesFor(reduction, 1), ElementsAre(16, 12, 8));
  EXPECT_THAT(*sizesFor(reduction, 4), ElementsAre(4, 12, 8));
  EXPECT_THAT(*sizesFor(reduction, 64), ElementsAre(1, 3, 8));
  EXPECT_THAT(*sizesFor(reduction, 5), ElementsAre(4, 12, 8)) << "a part is a factor of the loop";
  EXPECT_THAT(*sizesFor(reduction, 1 << 20), ElementsAre(1, 1, 1));
}

TEST(Rule, ABatchFirstConvolutionIsSplitFromTheInnermostLoopOn) {
  Reduction reduction;
  reduction.sizes = {16, 12, 8};
  reduction.batchFirst = true;
  EXPECT_THAT(*sizesFor(reduction, 64), ElementsAre(16, 2, 1));
}

TEST(Rule, ALargePrimeHasNoFactorThatTheCompilerTries) {
  Reduction reduction;
  reduction.sizes = {65537};
  EXPECT_FALSE(sizesFor(reduction, 4));
}

RC_GTEST_PROP(RuleProperty, PartsDivideTheirLoopsAndAreNoMoreThanTheLimit, ()) {
  Reduction reduction;
  reduction.sizes = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 5000)));
  reduction.sizes.resize(std::min<std::size_t>(reduction.sizes.size(), 4));
  reduction.batchFirst = *rc::gen::arbitrary<bool>();
  const auto limit = *rc::gen::inRange<std::int64_t>(1, 4096);
  const auto sizes = sizesFor(reduction, limit);
  RC_ASSERT(sizes.has_value());
  std::int64_t parts = 1;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    RC_ASSERT(reduction.sizes[i] % (*sizes)[i] == 0);
    parts *= reduction.sizes[i] / (*sizes)[i];
  }
  RC_ASSERT(parts <= limit);
}

TEST(RuleOfTheCompiler, IsHonesOnRandomShapes) {
  trial::TestEngine engine;
  ShapeMaker maker(7);
  std::vector<model::Problem> problems(400);
  std::generate(problems.begin(), problems.end(), [&] { return maker.next(); });
  const auto check =
      checkRule(engine.compiler, engine.installation, engine.folder.path(), problems);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_THAT(check->disagreements, IsEmpty());
  EXPECT_GT(check->split, 50) << "the shapes must be worth the check";
  EXPECT_LT(check->unrecognized, 150);
}

}  // namespace
}  // namespace hone::split
