#include "engine/budget.h"

#include <gtest/gtest.h>

namespace hone::engine {
namespace {

TEST(Budget, ParsesTimesAndTrials) {
  EXPECT_EQ(budgetFrom("90s")->time, std::chrono::seconds(90));
  EXPECT_EQ(budgetFrom("10m")->time, std::chrono::minutes(10));
  EXPECT_EQ(budgetFrom("1h")->time, std::chrono::hours(1));
  EXPECT_EQ(budgetFrom("200trials")->trials, 200);
  EXPECT_FALSE(budgetFrom("200trials")->time);
  const Budget both = budgetFrom("5m,30trials").value();
  EXPECT_EQ(both.time, std::chrono::minutes(5));
  EXPECT_EQ(both.trials, 30);
}

TEST(Budget, RejectsInvalidText) {
  for (const char* text : {"", "10", "m", "-3m", "0s", "ten m", "5m;3trials",
                           "99999999999999999999s", "9999999999h"}) {
    EXPECT_FALSE(budgetFrom(text)) << text;
  }
}

TEST(BudgetClock, IsNeverSpentWithoutLimit) {
  EXPECT_FALSE(BudgetClock(Budget{}).spent(0));
  Budget tiny;
  tiny.time = std::chrono::milliseconds(1);
  const BudgetClock clock(tiny);
  EXPECT_TRUE(clock.spent(0));
}

TEST(BudgetClock, RemainderIsBoundedAndPositive) {
  EXPECT_FALSE(BudgetClock(Budget{}).left().time);
  Budget hour;
  hour.time = std::chrono::hours(1);
  EXPECT_LE(BudgetClock(hour).left().time, hour.time);
  EXPECT_GT(BudgetClock(hour).left().time, std::chrono::minutes(59));
  Budget tiny;
  tiny.time = std::chrono::milliseconds(1);
  EXPECT_EQ(BudgetClock(tiny).left().time, std::chrono::milliseconds(1));
}

TEST(Budget, PartsAreEqualAndPositive) {
  const Budget part = divideBudget(*budgetFrom("10s,7trials"), 3);
  EXPECT_EQ(part.time, std::chrono::milliseconds(3333));
  EXPECT_EQ(part.trials, 2);
  const Budget small = divideBudget({std::chrono::milliseconds(1), 2}, 5);
  EXPECT_EQ(small.time, std::chrono::milliseconds(1)) << "0 would be unlimited";
  EXPECT_EQ(small.trials, 1);
  EXPECT_FALSE(divideBudget({}, 4).time || divideBudget({}, 4).trials);
}

}  // namespace
}  // namespace hone::engine
