// Tests of a head and its workers on a real Slurm. The jobs run this program as the worker, see
// main.
#include "cluster/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "base/process/interrupt.h"
#include "cluster/slurm_cluster.h"
#include "cluster/this_node.h"
#include "cluster/worker.h"

namespace hone::test {
namespace {

using cluster::Head;
using cluster::QueuedUnit;
using testing::HasSubstr;

/// Squares numbers and leaves a mark file for each. Depending on the unit, dies, hangs or waits for
/// a file.
class SquarePerformer : public cluster::UnitPerformer {
 public:
  [[nodiscard]] Result<nlohmann::json> perform(const QueuedUnit& unit) override {
    if (unit.kind == "crash") {
      std::raise(SIGSEGV);
    }
    const std::filesystem::path marks = unit.order.at("marks").get<std::string>();
    std::ofstream(marks / fmt::format("{}-{}", unit.key, ::getpid())) << cluster::workerName();
    if (unit.kind == "hang" && std::distance(std::filesystem::directory_iterator(marks), {}) == 1) {
      ::kill(::getppid(), SIGSTOP);  // stops the heartbeat; the second attempt continues
      while (true) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
    }
    while (unit.kind == "wait" && !std::filesystem::exists(marks / "go")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const int number = unit.order.at("number");
    return nlohmann::json{{"square", number * number}};
  }
  [[nodiscard]] store::Node node() const override { return cluster::cpuNode(); }
  [[nodiscard]] bool compilesForHost() const override { return false; }
};

class ClusterHead : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    slurm_ = SlurmCluster::start(why);
    if (!slurm_) {
      GTEST_SKIP() << why;
    }
    ::setenv("SLURM_CONF", slurm_->conf().c_str(), 1);
    options_.executor = "slurm";
    options_.nodes = 2;
    options_.shared = folder_.path() / "shared";
    options_.lostSeconds = 60;  // heartbeats are slow on a loaded machine
    options_.idleSeconds = 20;
    std::filesystem::create_directories(marks());
  }

  [[nodiscard]] std::filesystem::path marks() const { return folder_.path() / "marks"; }
  [[nodiscard]] std::size_t marksLeft() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(marks()), {}));
  }
  [[nodiscard]] std::unique_ptr<Head> openHead() const {
    auto head = Head::open(options_, "test", {});
    EXPECT_TRUE(head) << head.error().message;
    return std::move(*head);
  }
  [[nodiscard]] QueuedUnit unit(int number, const std::string& kind = "square") const {
    QueuedUnit unit;
    unit.key = fmt::format("{:08x}", number);
    unit.kind = kind;
    unit.order = {{"number", number}, {"marks", marks().string()}};
    return unit;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-head-test").value();
  std::unique_ptr<SlurmCluster> slurm_;
  cluster::Options options_;
};

TEST_F(ClusterHead, PerformsUnitsOnceOnBothNodes) {
  auto head = openHead();
  constexpr int kUnits = 60;
  for (int i = 0; i < kUnits; ++i) {
    ASSERT_TRUE(head->enqueue(unit(i)));
  }
  std::set<std::string> nodes;
  for (int i = 0; i < kUnits; ++i) {
    const auto answer = head->await(unit(i).key);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->result.at("square"), i * i);
    nodes.insert(answer->node.name);
  }
  EXPECT_EQ(marksLeft(), std::size_t{kUnits});
  for (const std::string& node : nodes) {
    EXPECT_THAT(node, testing::AnyOf("n1", "n2"));
  }
  ASSERT_TRUE(head->close());
  EXPECT_TRUE(eventually([&] { return slurm_->jobs().empty(); }));
  EXPECT_FALSE(std::filesystem::exists(options_.shared / "runs" / "test"));
}

TEST_F(ClusterHead, ReportsUnitThatKillsThreeWorkers) {
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit(1, "crash")));
  ASSERT_TRUE(head->enqueue(unit(2)));
  const auto killed = head->await(unit(1).key);
  ASSERT_TRUE(killed) << killed.error().message;
  EXPECT_TRUE(killed->killed);
  EXPECT_THAT(killed->error->message,
              HasSubstr("3 workers died executing it; the last: killed by"));
  const auto fine = head->await(unit(2).key);
  ASSERT_TRUE(fine);
  EXPECT_EQ(fine->result.at("square"), 4);
  EXPECT_EQ(head->counts().requeued, 3);
}

TEST_F(ClusterHead, ReassignsUnitsOfCancelledJob) {
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit(1, "wait")));
  std::thread meddler([&] {
    EXPECT_TRUE(eventually([&] { return marksLeft() > 0; }));
    for (const std::string& job : slurm_->jobs()) {
      static_cast<void>(slurm_->ask("scancel " + job));
    }
    EXPECT_TRUE(eventually([&] { return marksLeft() > 1; }));
    std::ofstream(marks() / "go") << "";
  });
  const auto answer = head->await(unit(1).key);
  meddler.join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->result.at("square"), 1);
  EXPECT_FALSE(answer->killed);
}

TEST_F(ClusterHead, ReassignsUnitsOfDeadNode) {
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit(1, "wait")));
  std::thread meddler([&] {
    EXPECT_TRUE(eventually([&] { return marksLeft() > 0; }));
    const std::string node(slurm_->ask("squeue --noheader --states=RUNNING --format=%N | head -1"));
    slurm_->killNode(node.substr(0, node.find('\n')));
    EXPECT_TRUE(eventually([&] { return marksLeft() > 1; }));
    std::ofstream(marks() / "go") << "";
  });
  const auto answer = head->await(unit(1).key);
  meddler.join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->result.at("square"), 1);
}

TEST_F(ClusterHead, ReplacesHangingWorker) {
  options_.nodes = 1;
  options_.lostSeconds = 30;
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit(3, "hang")));
  const auto answer = head->await(unit(3).key);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->result.at("square"), 9);
  EXPECT_EQ(marksLeft(), 2U);
  ASSERT_TRUE(head->close());
  EXPECT_TRUE(eventually([&] { return slurm_->jobs().empty(); }));
}

TEST_F(ClusterHead, StopsIfJobsCannotStartWorkers) {
  auto head = openHead();
  std::ofstream(options_.shared / "runs/test/measure.sh") << "#!/bin/sh\nexit 1\n";
  ASSERT_TRUE(head->enqueue(unit(1)));
  ASSERT_TRUE(head->enqueue(unit(2)));
  const auto answer = head->await(unit(1).key);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("cannot start"));
  EXPECT_THAT(answer.error().message, HasSubstr("FAILED"));
  head.reset();
  EXPECT_TRUE(eventually([&] { return slurm_->jobs().empty(); }));
}

TEST_F(ClusterHead, ResumesWithJobsAndResultsOfFirstHead) {
  {
    auto first = openHead();
    ASSERT_TRUE(first->enqueue(unit(1)));
    ASSERT_TRUE(first->enqueue(unit(2, "wait")));
    ASSERT_TRUE(first->await(unit(1).key));
    ASSERT_TRUE(eventually([&] { return marksLeft() >= 2; }));
    // Simulate a kill: leak the head so that it cancels no jobs.
    [[maybe_unused]] static const auto* const killed = first.release();
  }
  auto second = openHead();
  ASSERT_TRUE(second->enqueue(unit(1)));
  ASSERT_TRUE(second->enqueue(unit(2, "wait")));
  const auto before = second->await(unit(1).key);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->result.at("square"), 1);
  std::ofstream(marks() / "go") << "";
  const auto after = second->await(unit(2).key);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->result.at("square"), 4);
  EXPECT_EQ(marksLeft(), 3U) << "one per unit, and the file that ended the wait";
  ASSERT_TRUE(second->close());
  EXPECT_TRUE(eventually([&] { return slurm_->jobs().empty(); }));
}

}  // namespace
}  // namespace hone::test

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 2 && arguments[0] == "worker") {
    hone::catchInterrupts();
    auto spool = hone::cluster::Spool::open(arguments[1]);
    const auto make = [](const hone::cluster::WorkerSetup&)
        -> hone::Result<std::unique_ptr<hone::cluster::UnitPerformer>> {
      return std::make_unique<hone::test::SquarePerformer>();
    };
    return spool && hone::cluster::serve(
                        std::move(*spool),
                        {hone::cluster::workerName(), false, hone::cluster::nodeName()}, make)
               ? 0
               : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
