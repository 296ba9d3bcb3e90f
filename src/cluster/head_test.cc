// Tests the head with a fake scheduler of shell scripts. A file contains the output of squeue, and
// the test acts as the workers.
#include "cluster/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "cluster/spool/checked_file.h"

namespace hone::cluster {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Returns true if the condition holds before a timeout.
bool waitUntil(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000; ++i) {
    if (holds()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class HeadTest : public testing::Test {
 protected:
  void SetUp() override {
    // A submission creates an array, numbered from 1; the file "after-<number>" then becomes the
    // list.
    program("sbatch",
            "echo \"$@\" >> submitted; n=$(wc -l < submitted)\n"
            "test -f after-$n && cp after-$n jobs\necho $n\n");
    program("squeue", "cat jobs\n");
    program("scancel", "rm refuse 2>/dev/null && exit 1\necho \"$@\" >> cancelled\n");
    list("jobs", "");
    const char* path = std::getenv("PATH");
    ::setenv("PATH", fmt::format("{}:{}", folder_.path().string(), path).c_str(), 1);
    path_ = path;
    options_.executor = "slurm";
    options_.shared = folder_.path() / "shared";
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void program(const std::string& name, const std::string& text) {
    const fs::path file = folder_.path() / name;
    ASSERT_TRUE(
        writeFile(file, fmt::format("#!/bin/sh\ncd {}\n{}", folder_.path().string(), text)));
    fs::permissions(file, fs::perms::owner_all);
  }
  void list(const std::string& name, const std::string& text) {
    ASSERT_TRUE(writeFile(folder_.path() / name, text));
  }
  [[nodiscard]] std::string readOutput(const std::string& name) const {
    return readFile(folder_.path() / name).value_or("");
  }
  [[nodiscard]] std::size_t submissions() const {
    const std::string all = readOutput("submitted");
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  }
  [[nodiscard]] std::unique_ptr<Head> openHead() const {
    auto head = Head::open(options_, "test", {});
    EXPECT_TRUE(head) << head.error().message;
    return std::move(*head);
  }
  [[nodiscard]] fs::path spoolFolder() const { return options_.shared / "runs" / "test"; }
  [[nodiscard]] Spool spool() const { return Spool::open(spoolFolder()).value(); }

  static QueuedUnit unit(const std::string& key) {
    QueuedUnit unit;
    unit.key = key;
    unit.kind = "test";
    unit.order = nlohmann::json::object();
    return unit;
  }
  static void answer(Spool& spool, const std::optional<std::pair<Claim, QueuedUnit>>& claimed,
                     const std::string& worker) {
    ASSERT_TRUE(claimed);
    Answer answer;
    answer.key = claimed->second.key;
    answer.worker = worker;
    EXPECT_TRUE(spool.answer(claimed->first, answer));
  }
  /// Acts as a worker that claims a unit and answers it.
  static void work(Spool spool, const std::string& worker) {
    std::optional<std::pair<Claim, QueuedUnit>> claimed;
    EXPECT_TRUE(waitUntil([&] { return (claimed = spool.claim(worker, true)).has_value(); }));
    answer(spool, claimed, worker);
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-head-test").value();
  Options options_;
  std::string path_;
};

TEST_F(HeadTest, FailsIfJobsEndBeforeWorkersStart) {
  options_.nodes = 3;
  list("after-1", "1_1|FAILED\n1_2|FAILED\n1_3|FAILED\n");
  auto head = openHead();
  std::string trouble;
  head->onWorkerFailure([&](const std::string& why) { trouble += why; });
  for (const char* key : {"aa", "bb", "cc"}) {
    ASSERT_TRUE(head->enqueue(unit(key)));
  }
  const auto answer = head->await("aa");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::machine);
  EXPECT_THAT(answer.error().message, HasSubstr("cannot start"));
  EXPECT_THAT(answer.error().message, HasSubstr("FAILED"));
  EXPECT_THAT(answer.error().message, HasSubstr("logs"));
  EXPECT_EQ(trouble, "its job ended as FAILED") << "reported once";
}

TEST_F(HeadTest, StopsSubmittingIfJobsAreNeverListed) {
  options_.nodes = 3;
  options_.lostSeconds = 0.5;
  auto head = openHead();
  for (const char* key : {"aa", "bb", "cc"}) {
    ASSERT_TRUE(head->enqueue(unit(key)));
  }
  const auto answer = head->await("aa");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("does not list"));
  EXPECT_EQ(submissions(), 1U);
}

TEST_F(HeadTest, FailsIfAllNodesAreOfAnotherKind) {
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  for (const char* worker : {"1_1", "2_1", "3_1"}) {
    ASSERT_TRUE(spool().reportDeath(worker, kOtherNodeKind));
  }
  const auto answer = head->await("aa");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr(kOtherNodeKind));
}

TEST_F(HeadTest, ToleratesBadNodesWhileAnotherWorks) {
  options_.nodes = 4;
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  std::atomic<bool> reported = false;
  head->onStatus([&](const Status& status) {
    if (status.running == 1 && !reported) {
      for (const char* bad : {"1_2", "1_3", "1_4", "2_1", "2_2"}) {
        EXPECT_TRUE(spool().reportDeath(bad, "no device"));
      }
      reported = true;
    }
  });
  const std::jthread worker([&] {
    Spool workerSpool = spool();
    std::optional<std::pair<Claim, QueuedUnit>> claimed;
    EXPECT_TRUE(waitUntil([&] { return (claimed = workerSpool.claim("1_1", true)).has_value(); }));
    EXPECT_TRUE(waitUntil([&] { return reported && namesIn(spoolFolder() / "died").empty(); }));
    answer(workerSpool, claimed, "1_1");
  });
  const auto answered = head->await("aa");
  EXPECT_TRUE(answered) << answered.error().message;
}

TEST_F(HeadTest, ReplacesHungWorker) {
  options_.lostSeconds = 0.5;
  list("after-1", "1_1|RUNNING\n");
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  const std::jthread workers([&] {
    Spool hung = spool();
    EXPECT_TRUE(hung.writeHeartbeat("1_1", {1, false}));
    EXPECT_TRUE(waitUntil([&] { return hung.claim("1_1", true).has_value(); }));
    EXPECT_TRUE(waitUntil([&] { return submissions() == 2; }));
    work(spool(), "2_1");
  });
  const auto answer = head->await("aa");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->worker, "2_1");
  EXPECT_THAT(readOutput("cancelled"), HasSubstr("1_1"));
}

TEST_F(HeadTest, LosesNoWorkerAfterOwnDelay) {
  options_.lostSeconds = 4;
  list("after-1", "1_1|RUNNING\n");
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  std::atomic<std::int64_t> stoodAt = 0;  // heartbeats of the head so far
  head->onStatus([&](const Status& status) {
    if (status.running == 1 && stoodAt == 0) {
      std::this_thread::sleep_for(std::chrono::seconds(6));  // like a blocked file system
      stoodAt = spool().headHeartbeat().count;
    }
  });
  const std::jthread worker([&] {
    Spool workerSpool = spool();
    EXPECT_TRUE(workerSpool.writeHeartbeat("1_1", {1, false}));
    std::optional<std::pair<Claim, QueuedUnit>> claimed;
    EXPECT_TRUE(waitUntil([&] { return (claimed = workerSpool.claim("1_1", true)).has_value(); }));
    EXPECT_TRUE(waitUntil([&] { return stoodAt > 0; }));
    // Its heartbeats are late. By its second heartbeat the head has checked those of the workers.
    EXPECT_TRUE(waitUntil([&] { return workerSpool.headHeartbeat().count > stoodAt; }));
    std::int64_t beats = 1;
    EXPECT_TRUE(waitUntil([&] {
      EXPECT_TRUE(workerSpool.writeHeartbeat("1_1", {++beats, false}));
      return workerSpool.headHeartbeat().count > stoodAt + 1;
    }));
    answer(workerSpool, claimed, "1_1");
  });
  const auto answered = head->await("aa");
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(head->counts().requeued, 0);
  EXPECT_EQ(readOutput("cancelled"), "");
}

TEST_F(HeadTest, AvoidsNodeAfterMachineFailure) {
  options_.nodes = 2;
  list("after-1", "1_1|RUNNING\n1_2|RUNNING\n");
  auto head = openHead();
  for (const char* key : {"aa", "bb"}) {
    ASSERT_TRUE(head->enqueue(unit(key)));
  }
  std::atomic<bool> running = false;
  head->onStatus([&](const Status& status) { running = running || status.running > 0; });
  const std::jthread workers([&] {
    Spool workerSpool = spool();
    std::optional<std::pair<Claim, QueuedUnit>> held;
    std::optional<std::pair<Claim, QueuedUnit>> failing;
    EXPECT_TRUE(waitUntil([&] { return (held = workerSpool.claim("1_1", true)).has_value(); }));
    EXPECT_TRUE(waitUntil([&] { return running.load(); }));
    int number = 1;
    for (const char* node : {"n1", "n1", "n2", "n1"}) {
      const std::string worker = fmt::format("1_{}", ++number);
      EXPECT_TRUE(
          waitUntil([&] { return (failing = workerSpool.claim(worker, true)).has_value(); }));
      EXPECT_TRUE(workerSpool.reportDeath(worker, "the disk is full", node, true));
    }
    list("jobs", "1_1|RUNNING\n1_2|COMPLETED\n");
    EXPECT_TRUE(waitUntil([&] { return (failing = workerSpool.claim("3_1", true)).has_value(); }));
    EXPECT_EQ(failing->second.deaths, 0);
    EXPECT_THAT(failing->second.nodes, testing::ElementsAre("n1", "n2"));
    EXPECT_TRUE(waitUntil([&] { return submissions() == 2; }));
    answer(workerSpool, failing, "3_1");
    answer(workerSpool, held, "1_1");
  });
  for (const char* key : {"aa", "bb"}) {
    const auto answered = head->await(key);
    ASSERT_TRUE(answered) << answered.error().message;
    EXPECT_FALSE(answered->killed);
  }
  EXPECT_THAT(readOutput("submitted"), HasSubstr("--exclude=n1 "));
}

TEST_F(HeadTest, AnswersUnitThatFailsOnAllMachines) {
  options_.nodes = 9;
  auto head = openHead();
  for (const char* key : {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"}) {
    ASSERT_TRUE(head->enqueue(unit(key)));
  }
  const std::jthread workers([&] {
    Spool workerSpool = spool();
    int number = 0;
    int failures = 0;
    EXPECT_TRUE(waitUntil([&] {
      const std::string worker = fmt::format("1_{}", ++number);
      const auto claimed = workerSpool.claim(worker, true);
      if (claimed && claimed->second.key == "a1") {
        EXPECT_TRUE(
            workerSpool.reportDeath(worker, "no device", fmt::format("n{}", ++failures), true));
      }
      return failures == 6;
    }));
  });
  const auto answered = head->await("a1");
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_TRUE(answered->killed);
  EXPECT_THAT(answered->error->message, HasSubstr("no device"));
}

TEST_F(HeadTest, NextHeadRemembersDeaths) {
  const auto die = [this](const char* worker) {
    Spool workerSpool = spool();
    EXPECT_TRUE(waitUntil([&] { return workerSpool.claim(worker, true).has_value(); }));
    EXPECT_TRUE(workerSpool.reportDeath(worker, "killed by SIGSEGV", "n1"));
  };
  {
    auto first = openHead();
    ASSERT_TRUE(first->enqueue(unit("aa")));
    const std::jthread workers([&] {
      die("1_1");
      die("1_2");
      QueuedUnit aa = unit("aa");
      EXPECT_TRUE(waitUntil([&] {
        spool().restoreFailures(aa);
        return aa.deaths == 2;
      }));
      EXPECT_TRUE(spool().writeHeartbeat("1_3", {1, false}));
    });
    ASSERT_TRUE(first->awaitWorker());
    // Simulates a killed head; the static pointer avoids a leak report.
    [[maybe_unused]] static const Head* volatile killed = first.release();
  }
  auto second = openHead();
  ASSERT_TRUE(second->enqueue(unit("aa")));
  const std::jthread workers([&] { die("2_1"); });
  const auto answered = second->await("aa");
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_TRUE(answered->killed);
}

TEST_F(HeadTest, AnswersUnitAfterThreeJobTimeouts) {
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  std::atomic<std::size_t> running = 0;
  head->onStatus([&](const Status& status) { running = status.running; });
  // Each worker claims it and requeues it when its job times out.
  const std::jthread workers([&] {
    Spool workerSpool = spool();
    EXPECT_TRUE(workerSpool.writeHeartbeat("1_1", {1, false}));
    for (const char* worker : {"1_1", "1_2", "1_3"}) {
      EXPECT_TRUE(waitUntil([&] { return workerSpool.claim(worker, true).has_value(); }));
      EXPECT_TRUE(waitUntil([&] { return running == 1; }));
      workerSpool.requeue(worker);
      EXPECT_TRUE(waitUntil([&] { return running == 0; }));
    }
    list("jobs", "1_1|TIMEOUT\n1_2|TIMEOUT\n1_3|TIMEOUT\n");
    workerSpool.leave("1_1");  // makes the head list the jobs at once
  });
  const auto answered = head->await("aa");
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_TRUE(answered->killed);
  EXPECT_THAT(answered->error->message, HasSubstr("TIMEOUT"));
  EXPECT_TRUE(spool().queuedKeys().empty()) << "must not be claimed again";
}

TEST_F(HeadTest, RemovesSettledUnitFromQueue) {
  auto head = openHead();
  for (const char* key : {"aa", "bb"}) {
    ASSERT_TRUE(head->enqueue(unit(key)));
  }
  const std::jthread workers([&] {
    Spool workerSpool = spool();
    std::optional<std::pair<Claim, QueuedUnit>> claimed;
    EXPECT_TRUE(waitUntil([&] { return (claimed = workerSpool.claim("1_1", true)).has_value(); }));
    const std::string first = claimed->second.key;
    answer(workerSpool, claimed, "1_1");
    EXPECT_TRUE(waitUntil([&] { return workerSpool.doneAnswer(first).has_value(); }));
    EXPECT_TRUE(workerSpool.put(unit(first)));
    EXPECT_TRUE(waitUntil([&] { return workerSpool.queuedKeys().size() == 1; }));
    EXPECT_NE(workerSpool.queuedKeys().front(), first);
    work(spool(), "1_1");
  });
  EXPECT_TRUE(head->await("aa"));
  EXPECT_TRUE(head->await("bb"));
}

TEST_F(HeadTest, ReportsStatusWhileNothingChanges) {
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  std::atomic<int> told = 0;
  head->onStatus([&](const Status& status) {
    told += status.text() == "0 nodes, 0 running, 1 queued" ? 1 : 0;
  });
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return told > 1; }));
    work(spool(), "1_1");
  });
  ASSERT_TRUE(head->await("aa"));
}

TEST_F(HeadTest, SplitsManyJobsIntoArrays) {
  options_.nodes = 2300;
  auto head = openHead();
  for (int i = 0; i < 2300; ++i) {
    ASSERT_TRUE(head->enqueue(unit(fmt::format("{:04x}", i))));
  }
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() == 3; }));
    EXPECT_TRUE(spool().writeHeartbeat("1_1", {1, false}));
  });
  ASSERT_TRUE(head->awaitWorker());
  const std::string submitted = readOutput("submitted");
  EXPECT_THAT(submitted, HasSubstr("--array=1-1000 "));
  EXPECT_THAT(submitted, HasSubstr("--array=1-300 "));
  EXPECT_EQ(submissions(), 3U);
}

TEST_F(HeadTest, StartsWorkerBeforeThereIsWork) {
  auto head = openHead();
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() == 1; }));
    EXPECT_TRUE(spool().writeHeartbeat("1_1", {1, false}));
  });
  ASSERT_TRUE(head->awaitWorker());
  EXPECT_EQ(head->status().nodes, 1U);
}

TEST_F(HeadTest, IgnoresHeartbeatsOfEarlierHead) {
  Spool earlier = Spool::create(spoolFolder(), {}).value();
  ASSERT_TRUE(earlier.writeHeartbeat("1_1", {7, false}));
  auto head = openHead();
  const std::jthread workers([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() == 1; }));
    for (const char* worker : {"1_1", "2_1", "3_1"}) {
      EXPECT_TRUE(spool().reportDeath(worker, "no device"));
    }
  });
  const auto awaited = head->awaitWorker();
  ASSERT_FALSE(awaited);
  EXPECT_THAT(awaited.error().message, HasSubstr("no device"));
}

TEST_F(HeadTest, DoesNotCompileAgain) {
  options_.compileNodes = 2;
  Spool earlier = Spool::create(spoolFolder(), {}).value();
  Answer compiled;
  compiled.key = "aac";
  ASSERT_TRUE(earlier.storeAnswer(compiled));
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() > 0; }));
    work(spool(), "1_1");
  });
  ASSERT_TRUE(head->await("aa"));
  EXPECT_THAT(readOutput("submitted"), HasSubstr("measure.sh"));
  EXPECT_THAT(readOutput("submitted"), Not(HasSubstr("compile.sh")));
}

TEST_F(HeadTest, InheritedCompileJobDoesNotMeasure) {
  options_.compileNodes = 1;
  ASSERT_TRUE(Spool::create(spoolFolder(), {}).value().markCompileArray("7"));
  list("jobs", "7_1|RUNNING\n");
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() > 0; }));
    work(spool(), "7_1");  // compiles
    work(spool(), "1_1");
  });
  ASSERT_TRUE(head->await("aa"));
  EXPECT_THAT(readOutput("submitted"), HasSubstr("measure.sh"));
}

TEST_F(HeadTest, FailsIfFirstSubmissionIsRejected) {
  program("sbatch", "echo 'sbatch: error: invalid partition specified' >&2; exit 1\n");
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  const auto answer = head->await("aa");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("invalid partition"));
}

TEST_F(HeadTest, RetriesUnresponsiveScheduler) {
  program("sbatch",
          "echo \"$@\" >> submitted; n=$(wc -l < submitted); test $n -gt 1 && echo $n && exit\n"
          "echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller' "
          ">&2; exit 1\n");
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() == 2; }));
    work(spool(), "2_1");
  });
  const auto answer = head->await("aa");
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(HeadTest, FailsAtOnceIfSchedulerNeverResponded) {
  program("squeue", "echo 'squeue: error: Unable to contact slurm controller' >&2; exit 1\n");
  const auto head = Head::open(options_, "test", {});
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().fault, Fault::machine);
  EXPECT_THAT(head.error().message,
              testing::AllOf(HasSubstr("Slurm does not respond: squeue failed"),
                             HasSubstr("Unable to contact slurm controller; try again later")));
  EXPECT_FALSE(fs::exists(spoolFolder()));
}

TEST_F(HeadTest, ReportsUnresponsiveScheduler) {
  openHead().reset();  // the workers of a run that continues may be alive
  program("squeue", "echo 'squeue: error: Unable to contact slurm controller' >&2; exit 1\n");
  auto head = openHead();
  ASSERT_TRUE(head->enqueue(unit("aa")));
  std::atomic<bool> told = false;
  head->onStatus([&](const Status& status) {
    told = told || status.text() == "0 nodes, 0 running, 1 queued, Slurm does not respond";
  });
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return told.load(); }));
    work(spool(), "1_1");
  });
  ASSERT_TRUE(head->await("aa"));
}

TEST_F(HeadTest, RestartedHeadKeepsItsJobs) {
  options_.nodes = 2;
  list("jobs", "7_1|RUNNING\n");
  program("sbatch", "echo \"$@\" >> submitted; echo 'sbatch: error: limit' >&2; exit 1\n");
  auto head = openHead();
  for (const char* key : {"aa", "bb"}) {
    ASSERT_TRUE(head->enqueue(unit(key)));
  }
  const std::jthread worker([&] {
    EXPECT_TRUE(waitUntil([&] { return submissions() > 0; }));
    work(spool(), "7_1");
    work(spool(), "7_1");
  });
  for (const char* key : {"aa", "bb"}) {
    const auto answer = head->await(key);
    ASSERT_TRUE(answer) << answer.error().message;
  }
  EXPECT_EQ(readOutput("cancelled"), "");
}

TEST_F(HeadTest, DestructorEndsWorkersAndRetriesCancel) {
  auto head = openHead();
  list("refuse", "");
  head.reset();
  EXPECT_THAT(readOutput("cancelled"), HasSubstr("--name=hone-test"));
  EXPECT_TRUE(spool().headHeartbeat().finished);
}

TEST_F(HeadTest, NamesJobsThatCannotBeCancelled) {
  program("scancel", "exit 1\n");
  auto head = openHead();
  testing::internal::CaptureStderr();
  head.reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("scancel --name=hone-test"));
}

TEST_F(HeadTest, CloseRetriesBusyScheduler) {
  auto head = openHead();
  list("refuse", "");
  ASSERT_TRUE(head->close());
  EXPECT_THAT(readOutput("cancelled"), HasSubstr("--name=hone-test"));
  EXPECT_FALSE(fs::exists(spoolFolder()));
}

}  // namespace
}  // namespace hone::cluster
