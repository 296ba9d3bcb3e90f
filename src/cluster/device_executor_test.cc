#include "cluster/device_executor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "engine/executor/run_units.h"

namespace hone::cluster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Behaviour of a unit besides recording a trial.
enum class Act : std::uint8_t { none, meetOther, fail, failMachine, crash };

/// Records a trial unless it exists. Returns the place and whether the trial is new.
class PlaceUnit : public engine::Unit {
 public:
  PlaceUnit(std::string name, Act act, std::filesystem::path folder, int& prepared)
      : name_(std::move(name)), act_(act), folder_(std::move(folder)), prepared_(prepared) {}

  [[nodiscard]] std::string_view kind() const override { return "place"; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& /*files*/) const override {
    return nlohmann::json(name_);
  }
  [[nodiscard]] Result<void> prepare(std::span<engine::Unit* const> batch) override {
    prepared_ += static_cast<int>(batch.size());
    return {};
  }
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitContext& context) override {
    switch (act_) {
      case Act::fail:
        return userError("wrong");
      case Act::failMachine:
        return machineError("no space");
      case Act::crash:
        std::raise(SIGKILL);
        break;
      case Act::meetOther:
        HONE_CHECK(meet(context.place));
        break;
      case Act::none:
        break;
    }
    const bool isNew = context.log.find(name_) == nullptr;
    if (isNew) {
      store::Trial trial;
      trial.key = name_;
      HONE_CHECK(context.log.add(trial, {}));
    }
    return nlohmann::json{{"place", context.place}, {"new", isNew}};
  }

 private:
  /// Waits until the unit at the other of two places is also being performed. A pipe blocks until
  /// both ends are open.
  [[nodiscard]] Result<void> meet(std::size_t place) {
    const auto pipe = folder_ / "meeting";
    if (place == 0) {
      HONE_TRY(readFile(pipe));
    } else {
      const int end = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
      ::close(end);
    }
    return {};
  }

  std::string name_;
  Act act_;
  std::filesystem::path folder_;
  int& prepared_;
};

class DeviceExecutorTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::mkfifo((folder_.path() / "meeting").c_str(), 0600), 0); }

  [[nodiscard]] std::unique_ptr<engine::Unit> unit(const std::string& name, Act act = Act::none) {
    return std::make_unique<PlaceUnit>(name, act, folder_.path(), prepared_);
  }
  /// Runs units named by their index; returns their values.
  [[nodiscard]] std::vector<nlohmann::json> runAll(DeviceExecutor& executor, std::size_t count) {
    std::vector<nlohmann::json> values(count);
    engine::UnitBatch batch;
    batch.count = count;
    batch.make = [&](std::size_t i) -> Result<std::unique_ptr<engine::Unit>> {
      return unit(std::to_string(i));
    };
    batch.label = [](std::size_t i) { return std::to_string(i); };
    batch.take = [&](std::size_t i, const engine::UnitResult& result) -> Result<void> {
      EXPECT_FALSE(result.error) << result.error->message;
      values[i] = result.value;
      return {};
    };
    const auto skipped = engine::runUnits({executor, store_, run_, progress_}, batch);
    EXPECT_TRUE(skipped) << skipped.error().message;
    EXPECT_THAT(skipped.value_or(std::vector<std::size_t>()), IsEmpty());
    return values;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-device-executor-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = store_.addRun({}).value();
  Progress progress_{true};
  int prepared_ = 0;
};

TEST_F(DeviceExecutorTest, PerformsOneUnitPerDeviceAtATime) {
  DeviceExecutor executor(store_, run_, 2);
  const auto first = executor.submit(unit("a", Act::meetOther)).value();
  const auto second = executor.submit(unit("b", Act::meetOther)).value();
  const auto a = executor.result(first);
  const auto b = executor.result(second);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->value.at("place"), 0);
  EXPECT_EQ(b->value.at("place"), 1);
  EXPECT_THAT(a->records, SizeIs(1));
  EXPECT_TRUE(a->remote);
}

TEST_F(DeviceExecutorTest, PerformsAndRecordsEachUnitOnce) {
  DeviceExecutor executor(store_, run_, 3);
  for (const auto& value : runAll(executor, 40)) {
    EXPECT_LT(value.at("place").get<int>(), 3);
    EXPECT_EQ(value.at("new"), true);
  }
  EXPECT_EQ(prepared_, 40) << "in the parent";
  EXPECT_THAT(store_.trials(run_).value(), SizeIs(40));
}

TEST_F(DeviceExecutorTest, FindsTrialsOfInterruptedRun) {
  DeviceExecutor before(store_, run_, 2);
  (void)runAll(before, 2);
  DeviceExecutor after(store_, run_, 2);
  const auto values = runAll(after, 3);
  EXPECT_EQ(values[0].at("new"), false);
  EXPECT_EQ(values[1].at("new"), false);
  EXPECT_EQ(values[2].at("new"), true);
  EXPECT_THAT(store_.trials(run_).value(), SizeIs(3));
}

TEST_F(DeviceExecutorTest, ReturnsErrorsOfUnits) {
  DeviceExecutor executor(store_, run_, 2);
  const auto faulty = executor.result(executor.submit(unit("a", Act::fail)).value());
  ASSERT_TRUE(faulty);
  ASSERT_TRUE(faulty->error);
  EXPECT_EQ(faulty->error->message, "wrong");
  EXPECT_FALSE(faulty->killed);
  const auto crashed = executor.result(executor.submit(unit("b", Act::crash)).value());
  ASSERT_TRUE(crashed);
  ASSERT_TRUE(crashed->error);
  EXPECT_THAT(crashed->error->message, HasSubstr("SIGKILL"));
  EXPECT_TRUE(crashed->killed);
  const auto broken = executor.result(executor.submit(unit("c", Act::failMachine)).value());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().fault, Fault::machine);
}

TEST_F(DeviceExecutorTest, WithdrawsUnstartedUnits) {
  DeviceExecutor executor(store_, run_, 1);
  const auto first = executor.submit(unit("a")).value();
  const auto second = executor.submit(unit("b")).value();
  EXPECT_TRUE(executor.withdraw(second));
  EXPECT_FALSE(executor.withdraw(second));
  EXPECT_TRUE(executor.result(first));
  EXPECT_FALSE(executor.withdraw(first));
  EXPECT_FALSE(executor.result(second));
}

}  // namespace
}  // namespace hone::cluster
