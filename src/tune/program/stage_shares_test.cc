#include "tune/program/stage_shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::tune {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(StageShares, WaysWithMoreCodeCompileLonger) {
  const ProgramCosts costs{.compile = seconds(10)};
  const auto estimate = [&](const Way& way) {
    return estimateCompile(costs, std::vector<LayerChoice>{{{}, way}});
  };
  EXPECT_EQ(estimateCompile(costs, {}), seconds(10));
  EXPECT_EQ(estimate(Way::direct), seconds(10));
  EXPECT_GT(estimate(Way::perPosition), estimate(Way::matmul));
  EXPECT_GT(estimate({Method::atOnce, RegisterTile{}}), seconds(10));
}

TEST(StageShares, LeavesTimeForFinalOfSlowProgram) {
  const auto share = [](milliseconds call) {
    return screeningShare({.call = call}, std::chrono::minutes(2));
  };
  EXPECT_GT(share(milliseconds(50)), 0.85);
  EXPECT_LT(share(seconds(1)), 0.85);
  EXPECT_GE(share(seconds(60)), 0.4);
}

/// Otherwise a slow machine would not even compile the most promising set.
TEST(StageShares, LeavesMostOfShortBudgetToCompile) {
  const ProgramCosts costs{.call = milliseconds(100), .compile = seconds(8)};
  const double proof = proofShare(costs, seconds(40), false);
  const auto stage = std::chrono::duration_cast<milliseconds>(proof * seconds(40) - seconds(10));
  EXPECT_GT(screeningShare(costs, stage) * stage, seconds(14));
}

TEST(StageShares, LeavesTimeToCompileMeasuredWays) {
  const ProgramCosts costs{
      .call = milliseconds(50), .compile = seconds(10), .compileLayers = seconds(30)};
  const auto shares = layerShares(costs, {.budget = minutes(3), .used = seconds(30)});
  ASSERT_TRUE(shares);
  EXPECT_GT(shares->comparing - shares->measuring, 30.0 / 180);
  EXPECT_LE(shares->comparing, proofShare(costs, minutes(3), false));
}

TEST(StageShares, MeasuresNoLayersIfTheirWaysCannotBeCompiled) {
  const ProgramCosts costs{.compile = seconds(30), .compileLayers = seconds(100)};
  EXPECT_FALSE(layerShares(costs, {.budget = minutes(3), .used = seconds(130)}));
  EXPECT_TRUE(layerShares(costs, {.budget = minutes(10), .used = seconds(130)}));
}

TEST(StageShares, ProofOfSlowProgramBeginsEarlier) {
  const ProgramCosts slow{.call = milliseconds(400), .compileLayers = seconds(20)};
  const ProgramCosts fast{.call = milliseconds(4), .compileLayers = seconds(1)};
  EXPECT_LT(proofShare(slow, minutes(2), false), proofShare(fast, minutes(2), false));
  EXPECT_LT(proofShare(slow, minutes(2), true), proofShare(slow, minutes(2), false));
  EXPECT_EQ(proofShare(slow, std::chrono::hours(1), true), 0.85);
  EXPECT_GE(proofShare(slow, seconds(10), true), 0.5);
}

TEST(StageShares, SuggestsSufficientBudget) {
  const ProgramCosts costs{
      .call = milliseconds(400), .compile = seconds(30), .compileLayers = seconds(200)};
  const minutes budget = budgetFor(costs);
  EXPECT_GT(budget, minutes(4));
  EXPECT_LT(budget, minutes(8));
}

}  // namespace
}  // namespace hone::tune
