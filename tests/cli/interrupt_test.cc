// Killed, interrupted and concurrent runs: no result is lost, no work is repeated.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Clock = std::chrono::steady_clock;

constexpr int kManyConfigs = 15;
constexpr int kFewConfigs = 4;

/// A sandbox with a bench of `count` configs.
class ConfigBench : public Sandbox {
 public:
  explicit ConfigBench(int count) : count_(count) {
    nlohmann::json configs;
    for (int i = 0; i < count; ++i) {
      configs.push_back(tiles(fmt::format("t{}", i), 1 + i % 10, 8 << (i / 10), 1));
    }
    write("m.mlir", matmulText(32, 32, 32));
    write("c.json", configs.dump());
  }

  [[nodiscard]] Process startBench() { return start(bench_); }
  [[nodiscard]] CommandResult bench() { return hone(bench_); }
  /// Starts a bench and waits until it has stored its first trial.
  [[nodiscard]] Process startedBench() {
    Process process = startBench();
    EXPECT_TRUE(eventually([&] { return process.ended() || countStoredTrials(1) > 0; }));
    EXPECT_FALSE(process.ended());
    return process;
  }
  [[nodiscard]] nlohmann::json exported() { return hone({"runs", "export", "1", "--json"}).json(); }
  void expectOneFinishedRun() {
    const nlohmann::json runs = hone({"runs", "--json"}).json().at("runs");
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].at("status"), "finished");
    EXPECT_EQ(runs[0].at("trials"), count_ + 2);  // plus the baseline and its twin
  }

 private:
  int count_;
  const std::vector<std::string> bench_ = {"bench",  "m.mlir",   "--configs",
                                           "c.json", "--rounds", "5"};
};

/// Returns config names by trial key; fails the test on a duplicate key or name.
std::map<std::string, std::string> readTrials(const nlohmann::json& run) {
  std::map<std::string, std::string> trials;
  std::set<std::string> names;
  for (const nlohmann::json& trial : run.at("trials")) {
    const auto name = trial.at("config").at("name").get<std::string>();
    EXPECT_TRUE(trials.emplace(trial.at("key").get<std::string>(), name).second) << trial;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  return trials;
}

/// Expects every sample once, and no gap in the rounds of the final.
void expectWholeSamples(const nlohmann::json& run) {
  for (const nlohmann::json& trial : run.at("trials")) {
    std::set<std::vector<std::string>> places;
    std::set<std::int64_t> finals;
    for (const nlohmann::json& sample : trial.at("samples")) {
      EXPECT_TRUE(places
                      .insert({sample.at("stage").dump(), sample.at("round").dump(),
                               sample.at("repetition").dump()})
                      .second)
          << sample << " of " << trial.at("config").at("name");
      if (sample.at("stage") == "final") {
        finals.insert(sample.at("round").get<std::int64_t>());
      }
    }
    if (!finals.empty()) {
      EXPECT_EQ(*finals.rbegin() + 1, static_cast<std::int64_t>(finals.size()));
      EXPECT_EQ(finals.size() % 5, 0U);
    }
  }
}

/// Kills the bench five times, each within `span`; returns false if it finished before that.
bool killFiveTimes(ConfigBench& box, Clock::duration span, std::mt19937_64& generator) {
  for (int kills = 0; kills < 5; ++kills) {
    Process process = box.startBench();
    std::uniform_int_distribution<Clock::rep> delay(0, span.count());
    std::this_thread::sleep_for(Clock::duration(delay(generator)));
    if (process.ended()) {
      return false;
    }
    process.signal(SIGKILL);
    const int code = process.wait().code;
    EXPECT_TRUE(code == 128 + SIGKILL || code == 0) << code;
    EXPECT_TRUE(box.allProcessesEnd()) << "a process outlives its parent";
  }
  return true;
}

TEST(Killed, LosesAndRepeatsNothing) {
  ConfigBench undisturbed(kManyConfigs);
  const auto start = Clock::now();
  ASSERT_EQ(undisturbed.bench().code, 0);
  Clock::duration span = (Clock::now() - start) / 4;
  const nlohmann::json expected = undisturbed.exported();

  // NOLINTNEXTLINE(bugprone-random-generator-seed): reproducible kill times
  std::mt19937_64 generator(20'261'115);
  std::optional<ConfigBench> box;
  do {
    box.emplace(kManyConfigs);
    span /= 2;
  } while (!killFiveTimes(*box, span * 2, generator));

  const CommandResult last = box->bench();
  EXPECT_EQ(last.code, 0) << last.err;
  const nlohmann::json run = box->exported();
  EXPECT_EQ(readTrials(run), readTrials(expected));
  EXPECT_EQ(readTrials(run).size(), std::size_t{kManyConfigs + 2});
  expectWholeSamples(run);
  box->expectOneFinishedRun();
  EXPECT_THAT(box->leftoverFiles(), IsEmpty());
  EXPECT_THAT(box->leftoverProcesses(), IsEmpty());
}

/// The baseline and its twin are separate transactions; a kill may fall between them.
TEST(Killed, ResumesBetweenBaselineAndTwin) {
  ConfigBench box(kFewConfigs);
  Process process = box.startedBench();
  process.signal(SIGKILL);
  ASSERT_EQ(process.wait().code, 128 + SIGKILL);
  ASSERT_TRUE(box.allProcessesEnd());
  {
    SQLite::Database database(box.store().string(), SQLite::OPEN_READWRITE);
    database.exec("DELETE FROM samples WHERE trial IN (SELECT id FROM trials WHERE key = 'twin')");
    database.exec("DELETE FROM trials WHERE key = 'twin'");
  }
  const CommandResult ran = box.bench();
  EXPECT_EQ(ran.code, 0) << ran.err;
  box.expectOneFinishedRun();
}

class Interrupted : public testing::TestWithParam<int> {};

TEST_P(Interrupted, ReportsInterruptAndResumes) {
  ConfigBench box(kFewConfigs);
  Process process = box.startedBench();
  process.signal(GetParam());
  const CommandResult ran = process.wait();
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("hone: interrupted; rerun the command to resume\n"));
  EXPECT_TRUE(box.allProcessesEnd());
  EXPECT_THAT(box.leftoverFiles(), IsEmpty());
  const std::int64_t kept = box.countStoredTrials(1);
  EXPECT_GT(kept, 0);

  const CommandResult again = box.bench();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("resuming run 1"));
  box.expectOneFinishedRun();
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) {
                           return std::string(info.param == SIGINT ? "SIGINT" : "SIGTERM");
                         });

TEST(ConcurrentRuns, DoesNotResumeRunInUse) {
  ConfigBench box(kFewConfigs);
  Process first = box.startedBench();
  first.signal(SIGSTOP);  // keeps it running until the second is rejected
  expectError(box.hone({"runs", "resume", "1", "-q"}), 2,
              {"cannot resume run 1", "another hone is working on it"});
  EXPECT_EQ(box.hone({"runs", "--json"}).json().at("runs").at(0).at("status"), "running");
  first.signal(SIGINT);
  first.signal(SIGCONT);
  EXPECT_EQ(first.wait().code, 130);
}

TEST(ConcurrentRuns, AllFinish) {
  ConfigBench box(kFewConfigs);
  std::vector<Process> processes;
  for (int i = 0; i < 3; ++i) {
    processes.push_back(box.startBench());
  }
  for (Process& process : processes) {
    const CommandResult ran = process.wait();
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  const nlohmann::json runs = box.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 3U);
  for (const nlohmann::json& run : runs) {
    EXPECT_EQ(run.at("status"), "finished");
    EXPECT_EQ(run.at("trials"), runs[0].at("trials"));
  }
}

}  // namespace
}  // namespace hone::test
