#include "cluster/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "base/file.h"

namespace hone::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Doubles numbers; dies, fails or returns an error on request.
class TestPerformer : public UnitPerformer {
 public:
  [[nodiscard]] Result<nlohmann::json> perform(const QueuedUnit& unit) override {
    if (unit.kind == "crash") {
      std::raise(SIGKILL);
    }
    if (unit.kind == "refuse") {
      return userError("no such thing");
    }
    if (unit.kind == "fail") {
      return machineError("the disk is full");
    }
    return nlohmann::json{{"twice", 2 * unit.order.at("number").get<int>()}};
  }
  [[nodiscard]] store::Node node() const override { return {"here", "cpu", "", ""}; }
  [[nodiscard]] bool compilesForHost() const override { return true; }
};

Result<std::unique_ptr<UnitPerformer>> makeTestPerformer(const WorkerSetup& /*setup*/) {
  return std::make_unique<TestPerformer>();
}

class WorkerTest : public testing::Test {
 protected:
  void put(const std::string& key, const std::string& kind) {
    QueuedUnit unit;
    unit.key = key;
    unit.kind = kind;
    unit.order = {{"number", 21}};
    ASSERT_TRUE(spool_.put(unit));
  }
  [[nodiscard]] Result<void> serveAs(const std::string& name) {
    return serve(Spool::open(spool_.folder()).value(), {name, false, "here"}, makeTestPerformer);
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-worker-test").value();
  Spool spool_ = Spool::create(folder_.path(), {.idleSeconds = 0.2, .headSeconds = 100}).value();
};

TEST_F(WorkerTest, ExecutesAllUnitsAndExits) {
  put("aa", "double");
  put("bb", "refuse");
  ASSERT_TRUE(serveAs("w1"));
  const auto answers = spool_.takeAnswers();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].result.at("twice"), 42);
  EXPECT_EQ(answers[0].worker, "w1");
  EXPECT_EQ(answers[0].node.name, "here");
  EXPECT_EQ(answers[1].error->message, "no such thing");
  EXPECT_THAT(spool_.workers(), IsEmpty());
}

TEST_F(WorkerTest, ReportsDeathAndContinues) {
  put("aa", "crash");
  put("bb", "double");
  ASSERT_TRUE(serveAs("w1"));
  const auto deaths = spool_.takeDeaths();
  ASSERT_EQ(deaths.size(), 1u);
  EXPECT_EQ(deaths[0].key, "aa");
  EXPECT_THAT(deaths[0].why, HasSubstr("SIGKILL"));
  EXPECT_FALSE(deaths[0].machineFailed);
  ASSERT_EQ(spool_.takeAnswers().size(), 1u);
}

TEST_F(WorkerTest, ExitsAfterMachineError) {
  put("aa", "fail");
  const auto served = serveAs("w1");
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().fault, Fault::machine);
  const auto deaths = spool_.takeDeaths();
  ASSERT_EQ(deaths.size(), 1u);
  EXPECT_EQ(deaths[0].why, "the disk is full");
  EXPECT_EQ(deaths[0].node, "here");
  EXPECT_TRUE(deaths[0].machineFailed) << "the unit is not to blame";
  EXPECT_THAT(spool_.claims(), IsEmpty());
}

TEST_F(WorkerTest, ExitsWhenHeadIsFinished) {
  put("aa", "double");
  ASSERT_TRUE(spool_.writeHeadHeartbeat(1, true));
  ASSERT_TRUE(serveAs("w1"));
  EXPECT_THAT(spool_.takeAnswers(), IsEmpty());
}

TEST_F(WorkerTest, ExitsWithoutHeadHeartbeat) {
  const ScratchFolder folder = ScratchFolder::create("hone-worker-test").value();
  const Spool spool =
      Spool::create(folder.path(), {.idleSeconds = 1000, .headSeconds = 0.1}).value();
  ASSERT_TRUE(serve(Spool::open(spool.folder()).value(), {"w1", false, "here"}, makeTestPerformer));
}

TEST_F(WorkerTest, DoesNotMeasureOnAnotherKindOfNode) {
  ASSERT_TRUE(spool_.proposeKind({"other", "another cpu", "", ""}));
  put("aa", "double");
  ASSERT_TRUE(serveAs("w1"));
  EXPECT_THAT(spool_.takeAnswers(), IsEmpty());
  EXPECT_THAT(spool_.queuedKeys(), ElementsAre("aa"));
}

}  // namespace
}  // namespace hone::cluster
