#include "tune/proof/ablation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace hone::tune {
namespace {

using ::testing::ElementsAre;

engine::Finding timed(std::vector<double> times) {
  engine::Finding finding;
  finding.roundTimesNs = std::move(times);
  return finding;
}

bool helpsWith(double expectedGain, const engine::Finding& with, const engine::Finding& missing) {
  return helps({"entry", expectedGain}, with, missing, {});
}

constexpr double kLargeGain = 0.1;
constexpr double kSmallGain = 0.01;

TEST(Helps, DecidesBySignificantDifference) {
  const auto quick = timed({100, 101, 99, 100, 100, 101, 99, 100});
  const auto slow = timed({110, 111, 109, 110, 110, 111, 109, 110});
  EXPECT_TRUE(helpsWith(kLargeGain, quick, slow));
  EXPECT_TRUE(helpsWith(kSmallGain, quick, slow));
  EXPECT_FALSE(helpsWith(kLargeGain, slow, quick));
  EXPECT_FALSE(helpsWith(kSmallGain, slow, quick));
}

TEST(Helps, RejectsExpectedGainThatIsNotVisible) {
  const auto one = timed({1000, 1001, 999, 1000, 1002, 998, 1000, 1001});
  const auto other = timed({1001, 1000, 1000, 999, 1001, 999, 1001, 1000});
  EXPECT_FALSE(helpsWith(kLargeGain, one, other));
  EXPECT_TRUE(helpsWith(kSmallGain, one, other)) << "too small to be visible";
}

TEST(Helps, InconclusiveRoundsDoNotCount) {
  const auto noisy = timed({100, 160, 90, 150, 80, 140, 120, 70});
  const auto noise = timed({150, 90, 150, 80, 140, 85, 60, 130});
  EXPECT_TRUE(helpsWith(kLargeGain, noisy, noise));
  EXPECT_TRUE(helpsWith(kLargeGain, timed({}), timed({})));
  EXPECT_TRUE(helpsWith(kLargeGain, timed({100, 100, 100}), timed({100, 100, 100})));
  auto failed = timed({90, 90, 90, 90, 90, 90});
  failed.outcome = model::Outcome::runFailed;
  EXPECT_TRUE(helpsWith(kLargeGain, timed({100, 100, 100, 100, 100, 100}), failed));
}

TEST(AblationsFor, GroupsSmallIngredients) {
  Recipe recipe;
  for (int i = 0; i < 10; ++i) {
    recipe.ingredients.push_back({fmt::format("entry {}", i), 0.01 * (i + 1)});
  }
  std::vector<std::size_t> all(10);
  std::iota(all.begin(), all.end(), 0);
  const auto ablations = ablationsFor(recipe, all);
  ASSERT_EQ(ablations.size(), 9u);
  EXPECT_THAT(ablations[0].members, ElementsAre(2));
  EXPECT_EQ(ablations[0].what.name, "entry 2");
  EXPECT_THAT(ablations[8].members, ElementsAre(0, 1));
  EXPECT_NEAR(ablations[8].what.expectedGain, 0.03, 1e-12);
  EXPECT_THAT(without(all, ablations[8]), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(ablationsFor(recipe, std::span(all).first(8)).size(), 8u) << "no group of small ones";
}

TEST(ExplainNoGain, StatesOutcome) {
  engine::Finding finding;
  EXPECT_EQ(explainNoGain(finding), "budget used up before it was measured");
  finding.comparison.emplace();
  finding.comparison->speedup = {0.79, 0.81, 0.83};
  EXPECT_EQ(explainNoGain(finding), "0.81x as fast (95 % CI 0.79-0.83), slower");
  finding.outcome = model::Outcome::mismatch;
  finding.message = "element [3] is 7";
  EXPECT_EQ(explainNoGain(finding), "mismatch: element [3] is 7");
}

}  // namespace
}  // namespace hone::tune
