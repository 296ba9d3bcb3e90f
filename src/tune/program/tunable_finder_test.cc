#include "tune/program/tunable_finder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone::tune {
namespace {

std::vector<TunableDispatch> tunablesWith(const std::vector<double>& shares) {
  std::vector<TunableDispatch> tunables;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    TunableDispatch& tunable = tunables.emplace_back();
    tunable.name = fmt::format("main_dispatch_{}_matmul", i);
    tunable.dispatches = {fmt::format("main_dispatch_{}", i)};
    tunable.share = shares[i];
  }
  return tunables;
}

std::size_t countChosen(const std::vector<TunableDispatch>& tunables) {
  return static_cast<std::size_t>(
      std::count_if(tunables.begin(), tunables.end(),
                    [](const TunableDispatch& tunable) { return tunable.skipReason.empty(); }));
}

TEST(ChooseTunables, SkipsCheapDispatches) {
  auto tunables = tunablesWith({0.005, 0.3, 0.695});
  ASSERT_TRUE(chooseTunables(tunables, {}, Costs::measured));
  EXPECT_EQ(countChosen(tunables), 2u);
  EXPECT_EQ(tunables[0].name, "main_dispatch_2_matmul");
  EXPECT_TRUE(tunables[2].skipReason.contains("1 %")) << tunables[2].skipReason;
}

TEST(ChooseTunables, KeepsAllIfCostsAreEstimated) {
  auto tunables = tunablesWith(std::vector<double>(150, 1.0 / 150));
  ASSERT_TRUE(chooseTunables(tunables, {}, Costs::estimated));
  EXPECT_EQ(countChosen(tunables), 150u);
}

TEST(ChooseTunables, SelectsByPattern) {
  auto tunables = tunablesWith({0.2, 0.3, 0.5});
  ASSERT_TRUE(chooseTunables(tunables, {"dispatch_[01]_", 1}, Costs::measured));
  EXPECT_EQ(countChosen(tunables), 1u);
  EXPECT_EQ(tunables[0].name, "main_dispatch_1_matmul");
}

TEST(ChooseTunables, PatternMatchesAnyOfEqualDispatches) {
  auto tunables = tunablesWith({0.2, 0.8});
  tunables[0].dispatches.emplace_back("main_dispatch_7");
  ASSERT_TRUE(chooseTunables(tunables, {"dispatch_7$", 0}, Costs::measured));
  EXPECT_EQ(countChosen(tunables), 1u);
  EXPECT_EQ(tunables[0].name, "main_dispatch_0_matmul");
}

TEST(DropIndistinguishable, KeepsOneOfIndistinguishableDispatches) {
  auto tunables = tunablesWith({0.4, 0.3, 0.2, 0.1});
  std::vector<iree::DispatchMatcher> matchers(4);
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    tunables[i].root.dispatch = matchers[i].dispatch = tunables[i].dispatches.front();
    matchers[i].matcher = i == 1 ? "another" : "the same";
  }
  matchers[3].matcher = "";
  dropIndistinguishable(tunables, matchers);
  EXPECT_EQ(countChosen(tunables), 3u);
  EXPECT_EQ(tunables[3].name, "main_dispatch_2_matmul");
  EXPECT_EQ(tunables[3].skipReason, "a spec cannot distinguish it from main_dispatch_0_matmul");
}

TEST(ChooseTunables, EstimatesCostsFromLoopsAndCalls) {
  std::vector<iree::DispatchProgram> programs(3);
  programs[0].calls = 1;
  programs[0].root.loops = {{64, false}, {64, false}, {-1, true}};
  programs[1].calls = 3;
  programs[1].root.loops = {{64, false}, {64, false}};
  programs[2].calls = 1;
  programs[2].root.loops = {{4096, false}, {4, true}};
  const auto costs = estimatedCosts(programs);
  EXPECT_DOUBLE_EQ(costs[0].share, 0.125);
  EXPECT_DOUBLE_EQ(costs[1].share, 0.375);
  EXPECT_DOUBLE_EQ(costs[2].share, 0.5);
  EXPECT_EQ(costs[1].calls, 3);
}

}  // namespace
}  // namespace hone::tune
