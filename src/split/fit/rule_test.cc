#include "split/fit/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/test_toolchain.h"
#include "split/fit/test_rule_check.h"
#include "split/sweep/problem_reduction.h"
#include "split/sweep/sweeper.h"

namespace hone::split {
namespace {

using model::Reduction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Rule, SplitsOutermostLoopFirst) {
  Reduction reduction;
  reduction.sizes = {16, 12, 8};
  EXPECT_THAT(*sizesFor(reduction, 1), ElementsAre(16, 12, 8));
  EXPECT_THAT(*sizesFor(reduction, 4), ElementsAre(4, 12, 8));
  EXPECT_THAT(*sizesFor(reduction, 64), ElementsAre(1, 3, 8));
  EXPECT_THAT(*sizesFor(reduction, 5), ElementsAre(4, 12, 8)) << "a part is a factor of the loop";
  EXPECT_THAT(*sizesFor(reduction, 1 << 20), ElementsAre(1, 1, 1));
}

TEST(Rule, SplitsInnermostLoopOfBatchFirstConvolutionFirst) {
  Reduction reduction;
  reduction.sizes = {16, 12, 8};
  reduction.batchFirst = true;
  EXPECT_THAT(*sizesFor(reduction, 64), ElementsAre(16, 2, 1));
}

TEST(Rule, DoesNotSplitLargePrime) {
  Reduction reduction;
  reduction.sizes = {65537};
  EXPECT_FALSE(sizesFor(reduction, 4));
}

RC_GTEST_PROP(RuleProperty, PartsDivideLoopsAndRespectLimit, ()) {
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

TEST(CompilerRule, MatchesHoneOnRandomShapes) {
  engine::TestToolchain toolchain;
  ShapeMaker maker(7);
  std::vector<model::Problem> problems(400);
  std::generate(problems.begin(), problems.end(), [&] { return maker.next(); });
  const auto check =
      checkRule(toolchain.compiler, toolchain.installation, toolchain.folder.path(), problems);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_THAT(check->disagreements, IsEmpty());
  EXPECT_GT(check->split, 50) << "enough shapes must be split";
  EXPECT_LT(check->unrecognized, 150);
}

/// Problems that compile fast, some with loops of size 1, which the compiler folds away.
model::Problem smallShape(Random& random) {
  const auto size = [&](std::int64_t largest) {
    return static_cast<std::int64_t>(1 + random.below(static_cast<std::size_t>(largest)));
  };
  if (random.below(3) == 0) {
    return model::Matmul{.batch = size(3) - 1, .m = size(40), .n = size(40), .k = size(500)};
  }
  model::Conv conv;
  conv.direction = static_cast<model::ConvDirection>(random.below(3));
  conv.layout = static_cast<model::ConvLayout>(random.below(2));
  conv.groups = size(2);
  conv.n = size(4);
  conv.c = conv.groups * size(6);
  conv.k = conv.groups * size(6);
  conv.h = 3 + size(8);
  conv.w = 3 + size(8);
  conv.y = size(3);
  conv.x = size(3);
  conv.strideH = conv.strideW = size(2);
  conv.padH = conv.padW = size(2) - 1;
  return conv;
}

TEST(ReductionFormula, MatchesCompiler) {
  engine::TestToolchain toolchain;
  Random random(3);
  std::vector<SweepProblem> problems;
  for (int i = 0; i < 60; ++i) {
    const model::Problem problem = smallShape(random);
    problems.push_back({nameOf(problem), problem});
  }
  const auto requests = requestsFor(problems, toolchain.flags, toolchain.folder.path()).value();
  const auto programs = iree::prepareSplits(toolchain.compiler, requests).value();
  int seen = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    ASSERT_EQ(programs[i].report.status, iree::CompileReport::Status::ok) << problems[i].arguments;
    if (programs[i].operations.size() != 1) {
      continue;  // no limit splits it
    }
    ++seen;
    const Reduction& theirs = programs[i].operations.front();
    const auto ours = findReduction(problems[i].problem);
    ASSERT_TRUE(ours) << problems[i].arguments;
    EXPECT_EQ(ours->kind, theirs.kind) << problems[i].arguments;
    EXPECT_EQ(ours->sizes, theirs.sizes) << problems[i].arguments;
    EXPECT_EQ(ours->batchFirst, theirs.batchFirst) << problems[i].arguments;
    EXPECT_EQ(ours->outputSize(), theirs.outputSize()) << problems[i].arguments;
    EXPECT_EQ(model::toJson(*ours), model::toJson(theirs)) << problems[i].arguments;
  }
  EXPECT_GT(seen, 40);
}

}  // namespace
}  // namespace hone::split
