#include "cluster/spool/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "base/file.h"
#include "cluster/spool/checked_file.h"

namespace hone::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SpoolTest : public testing::Test {
 protected:
  static QueuedUnit unit(const std::string& key, bool onlyCompile = false) {
    QueuedUnit unit;
    unit.key = key;
    unit.kind = "test";
    unit.order = {{"number", 7}};
    unit.onlyCompile = onlyCompile;
    return unit;
  }
  static Answer answer(const std::string& key) {
    Answer answer;
    answer.key = key;
    answer.result = {{"sum", 14}};
    answer.node = {"n1", "cpu", "", "Linux"};
    answer.worker = "w1";
    return answer;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-spool-test").value();
  Spool spool_ = Spool::create(folder_.path() / "run", {.idleSeconds = 1}).value();
};

TEST_F(SpoolTest, UnitIsExecutedOnce) {
  ASSERT_TRUE(spool_.put(unit("aa")));
  EXPECT_THAT(spool_.queuedKeys(), ElementsAre("aa"));
  const auto claimed = spool_.claim("w1", true);
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->second.order.at("number"), 7);
  EXPECT_THAT(spool_.queuedKeys(), IsEmpty());
  EXPECT_FALSE(spool_.claim("w2", true));
  ASSERT_EQ(spool_.claims().size(), 1u);
  EXPECT_EQ(spool_.claims().front().key(), "aa");
  EXPECT_EQ(spool_.claims().front().worker, "w1");

  ASSERT_TRUE(spool_.answer(claimed->first, answer("aa")));
  EXPECT_THAT(spool_.claims(), IsEmpty());
  const auto answers = spool_.takeAnswers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.front().result.at("sum"), 14);
  EXPECT_EQ(answers.front().node, (store::Node{"n1", "cpu", "", "Linux"}));
  EXPECT_THAT(spool_.takeAnswers(), IsEmpty());
  EXPECT_TRUE(spool_.doneAnswer("aa"));
}

TEST_F(SpoolTest, CompileWorkerClaimsOnlyCompileUnits) {
  ASSERT_TRUE(spool_.put(unit("aa")));
  ASSERT_TRUE(spool_.put(unit("aac", true)));
  EXPECT_EQ(spool_.claim("w1", false)->second.key, "aac");
  EXPECT_FALSE(spool_.claim("w1", false));
  EXPECT_EQ(spool_.claim("w2", true)->second.key, "aa");
}

TEST_F(SpoolTest, ProcessesClaimEachUnitOnce) {
  constexpr int kUnits = 200;
  constexpr int kProcesses = 4;
  for (int i = 0; i < kUnits; ++i) {
    ASSERT_TRUE(spool_.put(unit(fmt::format("{:04x}", i))));
  }
  for (int process = 0; process < kProcesses; ++process) {
    if (::fork() == 0) {
      const std::string name = fmt::format("w{}", process);
      while (const auto claimed = spool_.claim(name, true)) {
        Answer mine = answer(claimed->second.key);
        mine.worker = name;
        if (!writeChecked(folder_.path() / fmt::format("{}-{}", mine.key, name), {}) ||
            !spool_.answer(claimed->first, mine)) {
          ::_exit(1);
        }
      }
      ::_exit(0);
    }
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = 0;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  std::set<std::string> keys;
  for (const Answer& one : spool_.takeAnswers()) {
    EXPECT_TRUE(keys.insert(one.key).second);
  }
  EXPECT_EQ(keys.size(), std::size_t{kUnits});
  // One file per claim: two for the same unit would mean that it was executed twice.
  EXPECT_EQ(namesIn(folder_.path()).size(), std::size_t{kUnits} + 1);
}

TEST_F(SpoolTest, RequeuesOrReportsClaimedUnits) {
  ASSERT_TRUE(spool_.put(unit("aa")));
  ASSERT_TRUE(spool_.claim("w1", true));
  spool_.requeue("w2");
  EXPECT_THAT(spool_.queuedKeys(), IsEmpty());
  spool_.requeue("w1");
  EXPECT_THAT(spool_.queuedKeys(), ElementsAre("aa"));

  ASSERT_TRUE(spool_.claim("w1", true));
  ASSERT_TRUE(spool_.reportDeath("w1", "killed by SIGSEGV"));
  const auto deaths = spool_.takeDeaths();
  ASSERT_EQ(deaths.size(), 1u);
  EXPECT_EQ(deaths.front().key, "aa");
  EXPECT_EQ(deaths.front().why, "killed by SIGSEGV");
  EXPECT_THAT(spool_.claims(), IsEmpty());
  EXPECT_THAT(spool_.takeDeaths(), IsEmpty());

  ASSERT_TRUE(spool_.reportDeath("w1", "no device"));
  EXPECT_EQ(spool_.takeDeaths().front().key, "");
}

TEST_F(SpoolTest, DoesNotRequeueAnsweredUnit) {
  for (const std::string key : {"aa", "bb", "cc", "dd"}) {
    const bool seen = key >= "cc";
    ASSERT_TRUE(spool_.put(unit(key)));
    const auto claimed = spool_.claim("w1", true);
    ASSERT_TRUE(claimed);
    // Simulates a worker killed after writing its answer, before releasing the unit.
    ASSERT_TRUE(spool_.answer({"another", "w1"}, answer(key)));
    EXPECT_EQ(spool_.claims().size(), 1U);
    if (seen) {
      EXPECT_EQ(spool_.takeAnswers().size(), 1U);
    }
    if (key == "aa" || key == "cc") {
      spool_.requeue("w1");
    } else {
      ASSERT_TRUE(spool_.reportDeath("w1", "killed by SIGKILL"));
    }
    EXPECT_THAT(spool_.queuedKeys(), IsEmpty());
    EXPECT_THAT(spool_.claims(), IsEmpty());
    EXPECT_THAT(spool_.takeDeaths(), IsEmpty());
    EXPECT_EQ(spool_.takeAnswers().size(), seen ? 0U : 1U);
  }
}

TEST_F(SpoolTest, SkipsUnitThatFailedOnNode) {
  QueuedUnit failed = unit("aa");
  failed.deaths = 2;
  failed.failures = 3;
  failed.nodes = {"n1"};
  ASSERT_TRUE(spool_.put(failed));
  EXPECT_FALSE(spool_.claim("w1", true, "n1"));
  const auto claimed = spool_.claim("w2", true, "n2");
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->first.key(), "aa");
  EXPECT_THAT(claimed->second.nodes, ElementsAre("n1"));
  spool_.requeue("w2");
  EXPECT_THAT(spool_.queuedKeys(), ElementsAre("aa"));
  EXPECT_TRUE(spool_.claim("w1", true)) << "there is no other node";

  ASSERT_TRUE(spool_.storeFailures(failed));
  QueuedUnit again = unit("aa");
  Spool::create(spool_.folder(), {}).value().restoreFailures(again);
  EXPECT_EQ(again.deaths, 2);
  EXPECT_EQ(again.failures, 3);
  EXPECT_THAT(again.nodes, ElementsAre("n1"));
}

TEST_F(SpoolTest, IgnoresDamagedFiles) {
  ASSERT_TRUE(spool_.put(unit("aa")));
  const auto queue = spool_.folder() / "queue";
  const std::string name = namesIn(queue).front();
  ASSERT_TRUE(writeFile(queue / name, "half of it"));
  EXPECT_FALSE(spool_.claim("w1", true));
  EXPECT_THAT(spool_.claims(), IsEmpty());
  ASSERT_TRUE(writeFile(spool_.folder() / "answers" / "aa", "{}"));
  EXPECT_THAT(spool_.takeAnswers(), IsEmpty());
  EXPECT_FALSE(spool_.doneAnswer("aa"));
}

TEST_F(SpoolTest, FirstAnswerCounts) {
  ASSERT_TRUE(spool_.put(unit("aa")));
  const auto first = spool_.claim("w1", true);
  ASSERT_TRUE(first);
  spool_.release(first->first);  // lost by the head and given to another worker
  ASSERT_TRUE(spool_.put(unit("aa")));
  const auto second = spool_.claim("w2", true);
  ASSERT_TRUE(second);
  Answer late = answer("aa");
  late.result = {{"sum", 15}};
  ASSERT_TRUE(spool_.answer(second->first, answer("aa")));
  EXPECT_EQ(spool_.takeAnswers().size(), 1u);
  ASSERT_TRUE(spool_.answer(first->first, late));
  EXPECT_THAT(spool_.takeAnswers(), IsEmpty());
  EXPECT_EQ(spool_.doneAnswer("aa")->result.at("sum"), 14);
  EXPECT_THAT(namesIn(spool_.folder() / "answers"), IsEmpty());
}

TEST_F(SpoolTest, FirstNodeDecidesKind) {
  const store::Node first{"n1", "cpu A", "", "Linux 1"};
  const store::Node alike{"n2", "cpu A", "", "Linux 1"};
  const store::Node other{"n3", "cpu B", "", "Linux 1"};
  EXPECT_FALSE(spool_.isMeasuredKind(first).has_value());
  ASSERT_TRUE(spool_.proposeKind(first));
  ASSERT_TRUE(spool_.proposeKind(other));
  EXPECT_EQ(spool_.isMeasuredKind(alike), true);
  EXPECT_EQ(spool_.isMeasuredKind(other), false);
}

TEST_F(SpoolTest, ReadsHeartbeats) {
  ASSERT_TRUE(spool_.writeHeartbeat("w1", {3, false}));
  EXPECT_THAT(spool_.workers(), ElementsAre("w1"));
  EXPECT_EQ(spool_.readHeartbeat("w1").count, 3);
  spool_.leave("w1");
  EXPECT_THAT(spool_.workers(), IsEmpty());
  ASSERT_TRUE(spool_.writeHeadHeartbeat(5, true));
  EXPECT_EQ(spool_.headHeartbeat().count, 5);
  EXPECT_TRUE(spool_.headHeartbeat().finished);
}

TEST_F(SpoolTest, NextHeadKnowsCompileJobs) {
  ASSERT_TRUE(writeFile(spool_.folder() / "logs" / "12_1.log", "hello"));
  ASSERT_TRUE(spool_.markCompileArray("13"));
  EXPECT_THAT(Spool::create(spool_.folder(), {}).value().compileArrays(), ElementsAre("13"));
}

TEST_F(SpoolTest, NextHeadFindsFinishedUnits) {
  ASSERT_TRUE(spool_.put(unit("aa")));
  ASSERT_TRUE(spool_.put(unit("bb")));
  const auto claimed = spool_.claim("w1", true);
  ASSERT_TRUE(spool_.answer(claimed->first, answer(claimed->second.key)));
  Spool again = Spool::create(folder_.path() / "run", {}).value();
  EXPECT_EQ(again.takeAnswers().size(), 1u);
  EXPECT_EQ(again.queuedKeys().size(), 1u);
  EXPECT_THAT(Spool::open(folder_.path() / "none").error().message, HasSubstr("none"));
}

}  // namespace
}  // namespace hone::cluster
