#include "tune/program/subjects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone::tune {
namespace {

std::vector<Subject> subjectsWith(const std::vector<double>& shares) {
  std::vector<Subject> subjects;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Subject& subject = subjects.emplace_back();
    subject.name = fmt::format("main_dispatch_{}_matmul", i);
    subject.dispatches = {fmt::format("main_dispatch_{}", i)};
    subject.share = shares[i];
  }
  return subjects;
}

std::size_t countChosen(const std::vector<Subject>& subjects) {
  return static_cast<std::size_t>(
      std::count_if(subjects.begin(), subjects.end(),
                    [](const Subject& subject) { return subject.whyNot.empty(); }));
}

TEST(ChooseSubjects, SkipsCheapDispatches) {
  auto subjects = subjectsWith({0.005, 0.3, 0.695});
  ASSERT_TRUE(chooseSubjects(subjects, {}, Costs::measured));
  EXPECT_EQ(countChosen(subjects), 2u);
  EXPECT_EQ(subjects[0].name, "main_dispatch_2_matmul");
  EXPECT_TRUE(subjects[2].whyNot.contains("1 %")) << subjects[2].whyNot;
}

TEST(ChooseSubjects, KeepsAllIfCostsAreEstimated) {
  auto subjects = subjectsWith(std::vector<double>(150, 1.0 / 150));
  ASSERT_TRUE(chooseSubjects(subjects, {}, Costs::estimated));
  EXPECT_EQ(countChosen(subjects), 150u);
}

TEST(ChooseSubjects, SelectsByPattern) {
  auto subjects = subjectsWith({0.2, 0.3, 0.5});
  ASSERT_TRUE(chooseSubjects(subjects, {"dispatch_[01]_", 1}, Costs::measured));
  EXPECT_EQ(countChosen(subjects), 1u);
  EXPECT_EQ(subjects[0].name, "main_dispatch_1_matmul");
}

TEST(ChooseSubjects, PatternMatchesAnyOfEqualDispatches) {
  auto subjects = subjectsWith({0.2, 0.8});
  subjects[0].dispatches.emplace_back("main_dispatch_7");
  ASSERT_TRUE(chooseSubjects(subjects, {"dispatch_7$", 0}, Costs::measured));
  EXPECT_EQ(countChosen(subjects), 1u);
  EXPECT_EQ(subjects[0].name, "main_dispatch_0_matmul");
}

TEST(DropIndistinguishable, KeepsOneOfIndistinguishableDispatches) {
  auto subjects = subjectsWith({0.4, 0.3, 0.2, 0.1});
  std::vector<iree::DispatchMatcher> matchers(4);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    subjects[i].root.dispatch = matchers[i].dispatch = subjects[i].dispatches.front();
    matchers[i].matcher = i == 1 ? "another" : "the same";
  }
  matchers[3].matcher = "";
  dropIndistinguishable(subjects, matchers);
  EXPECT_EQ(countChosen(subjects), 3u);
  EXPECT_EQ(subjects[3].name, "main_dispatch_2_matmul");
  EXPECT_EQ(subjects[3].whyNot, "a spec cannot distinguish it from main_dispatch_0_matmul");
}

TEST(ChooseSubjects, EstimatesCostsFromLoopsAndCalls) {
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
