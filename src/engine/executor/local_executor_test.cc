#include "engine/executor/local_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "engine/executor/run_units.h"

namespace hone::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Steps of the units of a test in order.
using Steps = std::vector<std::string>;

class StepUnit : public Unit {
 public:
  StepUnit(Steps& steps, std::string name, std::optional<Error> error = {})
      : steps_(steps), name_(std::move(name)), error_(std::move(error)) {}

  [[nodiscard]] std::string_view kind() const override { return "step"; }
  [[nodiscard]] Result<nlohmann::json> order(FileShare& /*files*/) const override {
    return nlohmann::json(name_);
  }
  [[nodiscard]] Result<void> prepare(std::span<Unit* const> batch) override {
    steps_.push_back(fmt::format("prepare {}", batch.size()));
    return {};
  }
  [[nodiscard]] Result<nlohmann::json> perform(UnitContext& context) override {
    if (error_) {
      return std::unexpected(*error_);
    }
    store::Trial trial;
    trial.key = name_;
    HONE_CHECK(context.log.add(trial, {}));
    steps_.push_back(name_);
    return nlohmann::json(name_);
  }

 private:
  Steps& steps_;
  std::string name_;
  std::optional<Error> error_;
};

class LocalExecutorTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Unit> unit(const std::string& name,
                                           std::optional<Error> error = {}) {
    return std::make_unique<StepUnit>(steps_, name, std::move(error));
  }
  /// Runs units named by their index.
  std::vector<std::size_t> runAll(std::size_t count, std::function<bool()> outOfBudget = {}) {
    UnitBatch batch;
    batch.count = count;
    batch.make = [this](std::size_t i) -> Result<std::unique_ptr<Unit>> {
      return unit(std::to_string(i));
    };
    batch.label = [](std::size_t i) { return std::to_string(i); };
    batch.take = [this](std::size_t i, const UnitResult& result) -> Result<void> {
      EXPECT_EQ(result.value, std::to_string(i));
      EXPECT_FALSE(result.remote);
      taken_.push_back(i);
      return {};
    };
    batch.outOfBudget = std::move(outOfBudget);
    const auto skipped = runUnits({executor_, store_, run_, progress_}, batch);
    EXPECT_TRUE(skipped);
    return skipped.value_or(std::vector<std::size_t>());
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-executor-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = store_.addRun({}).value();
  Progress progress_{true};
  LocalExecutor executor_{store_, run_, progress_};
  Steps steps_;
  std::vector<std::size_t> taken_;
};

TEST_F(LocalExecutorTest, PreparesInBatchesAndPerformsInOrder) {
  EXPECT_THAT(runAll(20), IsEmpty());
  ASSERT_EQ(taken_.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(taken_));
  EXPECT_EQ(steps_.front(), "prepare 16");
  EXPECT_EQ(std::ranges::count(steps_, "prepare 4"), 1);
  EXPECT_EQ(store_.trials(run_)->size(), 20u);
}

TEST_F(LocalExecutorTest, SkipsUnstartedUnitsOutOfBudget) {
  EXPECT_THAT(runAll(5, [this] { return taken_.size() >= 2; }), ElementsAre(2, 3, 4));
  EXPECT_THAT(taken_, ElementsAre(0, 1));
  EXPECT_THAT(steps_, ElementsAre("prepare 5", "0", "1"));
}

TEST_F(LocalExecutorTest, PerformsOnlyAwaitedUnits) {
  const Ticket first = executor_.submit(unit("first")).value();
  const Ticket second = executor_.submit(unit("second")).value();
  EXPECT_EQ(executor_.result(second)->value, "second");
  EXPECT_THAT(steps_, ElementsAre("prepare 1", "second"));
  EXPECT_EQ(executor_.result(first)->value, "first");
  EXPECT_FALSE(executor_.result(first)) << "a result is returned once";
}

TEST_F(LocalExecutorTest, ReturnsUserErrorAndFailsOnMachineError) {
  const Ticket faulty = executor_.submit(unit("a", Error{Fault::user, "wrong"})).value();
  const auto result = executor_.result(faulty);
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->error);
  EXPECT_EQ(result->error->message, "wrong");
  const Ticket broken = executor_.submit(unit("b", Error{Fault::machine, "no space"})).value();
  EXPECT_FALSE(executor_.result(broken));
}

TEST_F(LocalExecutorTest, RecordsFailedTrialForFailedUnit) {
  UnitBatch batch;
  batch.count = 1;
  batch.make = [this](std::size_t) -> Result<std::unique_ptr<Unit>> {
    return unit("a", Error{Fault::user, "wrong"});
  };
  batch.label = [](std::size_t) { return "shape a"; };
  batch.take = [](std::size_t, const UnitResult& result) -> Result<void> {
    EXPECT_TRUE(result.error);
    return {};
  };
  ASSERT_TRUE(runUnits({executor_, store_, run_, progress_}, batch));
  const auto trials = store_.trials(run_).value();
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].problem, "shape a");
  EXPECT_EQ(trials[0].outcome, model::Outcome::runFailed);
  EXPECT_EQ(trials[0].message, "wrong");
}

}  // namespace
}  // namespace hone::engine
