#include "engine/executor/unit_pace.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/file.h"
#include "engine/executor/local_executor.h"
#include "engine/executor/run_units.h"

namespace hone::engine {
namespace {

/// Takes some seconds of an injected clock.
class TimedUnit : public Unit {
 public:
  TimedUnit(std::int64_t& nowNs, std::int64_t seconds) : nowNs_(nowNs), seconds_(seconds) {}

  [[nodiscard]] std::string_view kind() const override { return "timed"; }
  [[nodiscard]] Result<nlohmann::json> order(FileShare& /*files*/) const override {
    return nlohmann::json();
  }
  [[nodiscard]] Result<void> prepare(std::span<Unit* const> batch) override {
    nowNs_ += static_cast<std::int64_t>(batch.size()) * kSecondNs;
    return {};
  }
  [[nodiscard]] Result<nlohmann::json> perform(UnitContext& /*context*/) override {
    nowNs_ += seconds_ * kSecondNs;
    return nlohmann::json();
  }

 private:
  std::int64_t& nowNs_;
  std::int64_t seconds_;
};

class UnitPaceTest : public testing::Test {
 protected:
  /// Runs 100 units as a stage that ends at this fraction; returns the number of performed ones.
  std::size_t runStage(const BudgetClock& clock, double fraction, std::int64_t seconds) {
    LocalExecutor executor(store_, run_, progress_);
    UnitPace pace(clock, fraction, executor.places());
    UnitBatch batch;
    batch.count = 100;
    batch.window = pace.window();
    batch.make = [&](std::size_t) -> Result<std::unique_ptr<Unit>> {
      return std::make_unique<TimedUnit>(nowNs_, seconds);
    };
    batch.label = [](std::size_t i) { return std::to_string(i); };
    batch.take = [&](std::size_t, const UnitResult&) -> Result<void> {
      pace.finishUnit();
      return {};
    };
    batch.outOfBudget = [&] { return pace.isOver(); };
    return batch.count - runUnits({executor, store_, run_, progress_}, batch)->size();
  }
  [[nodiscard]] BudgetClock clock(const Budget& budget) {
    return BudgetClock(budget, [this] { return nowNs_; });
  }
  [[nodiscard]] std::int64_t seconds() const { return nowNs_ / kSecondNs; }

  std::int64_t nowNs_ = 0;
  ScratchFolder folder_ = ScratchFolder::create("hone-pace-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = store_.addRun({}).value();
  Progress progress_{true};
};

TEST_F(UnitPaceTest, TwoStagesEndWithinOneBudget) {
  const BudgetClock budget = clock({std::chrono::minutes(3), std::nullopt});
  EXPECT_GT(runStage(budget, 0.6, 10), 5U);
  EXPECT_LE(seconds(), 108) << "the first stage leaves time for the second one";
  EXPECT_GT(runStage(budget, 1, 12), 3U);
  EXPECT_LE(seconds(), 180);
}

TEST_F(UnitPaceTest, StartsNoUnitThatIsExpectedToEndLate) {
  const BudgetClock budget = clock({std::chrono::seconds(60), std::nullopt});
  EXPECT_EQ(runStage(budget, 1, 40), 1U) << "the second one would end after 80 s";
}

TEST_F(UnitPaceTest, StartsNothingWithoutTime) {
  const BudgetClock budget = clock({std::chrono::seconds(60), std::nullopt});
  nowNs_ = 60 * kSecondNs;
  EXPECT_EQ(runStage(budget, 1, 1), 0U);
}

TEST_F(UnitPaceTest, IsNeverOverWithoutLimit) { EXPECT_EQ(runStage(clock({}), 1, 1000), 100U); }

TEST_F(UnitPaceTest, ExcludedTimeDoesNotCount) {
  BudgetClock budget = clock({std::chrono::seconds(60), std::nullopt});
  nowNs_ = 500 * kSecondNs;
  budget.exclude(490 * kSecondNs);
  EXPECT_EQ(budget.used(), std::chrono::seconds(10));
  EXPECT_FALSE(budget.spent(0.5));
}

}  // namespace
}  // namespace hone::engine
