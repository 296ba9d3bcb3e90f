#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/executor/unit_result.h"
#include "engine/plan/session.h"
#include "engine/test_toolchain.h"

namespace hone::engine {
namespace {

using model::Outcome;
using model::Stage;

/// Returns paths unchanged, since all processes of the test see the same files.
class NoShare : public FileShare {
 public:
  [[nodiscard]] Result<std::filesystem::path> share(const std::filesystem::path& file) override {
    return file;
  }
};

/// Simulates a machine on which every candidate takes as long as the baseline. Units with a faulty
/// candidate return a user error.
class FakeRemote : public Executor {
 public:
  [[nodiscard]] Result<Ticket> submit(std::unique_ptr<Unit> unit) override {
    orders_.push_back(HONE_TRY(unit->order(share_)));
    return std::to_string(orders_.size() - 1);
  }
  [[nodiscard]] Result<std::size_t> wait(std::span<const Ticket> /*tickets*/) override {
    return std::size_t{0};
  }
  [[nodiscard]] Result<UnitResult> result(const Ticket& ticket) override {
    const nlohmann::json& order = orders_[std::stoul(ticket)];
    UnitResult result;
    result.remote = true;
    std::vector<Finding> findings;
    for (const nlohmann::json& candidate : order.at("plan").at("candidates")) {
      const std::string name = candidate.at("config").at("name");
      if (faulty.contains(name)) {
        result.error = Error{Fault::user, "the baseline does not run"};
        return result;
      }
      findings.emplace_back().key = name;
      store::TrialRecord& record = result.records.emplace_back();
      record.trial.key = name;
      record.trial.artifact = name;
      record.trial.details.screenNs = 100;
      record.trial.details.passed = true;
      record.samples = {{Stage::screen, 0, 0, 0, 100, 100, 1}};
      if (order.at("prove").get<bool>()) {
        record.samples.push_back({Stage::final, 0, 0, 0, 100, 100, 1});
      }
    }
    result.value = toJson(findings);
    return result;
  }
  bool withdraw(const Ticket& /*ticket*/) override { return false; }
  [[nodiscard]] std::size_t places() const override { return 1; }
  [[nodiscard]] std::size_t window() const override { return 1; }
  [[nodiscard]] Result<void> awaitReady() override { return {}; }
  [[nodiscard]] std::string status() const override { return {}; }
  [[nodiscard]] std::int64_t referenceCpuNs() const override { return 0; }
  [[nodiscard]] Result<void> close() override { return {}; }

  std::set<std::string> faulty;

 private:
  NoShare share_;
  std::vector<nlohmann::json> orders_;
};

class RemoteSession : public testing::Test {
 protected:
  /// More than fit into one unit.
  static constexpr int kCandidates = 20;

  RemoteSession() {
    Program program;
    program.source = "program.mlir";
    program.hash = "h";
    program.function = "f";
    plan_.programs = {program};
    plan_.candidates = {{0, {"baseline", {}, {}}}};
    for (int i = 1; i < kCandidates; ++i) {
      const std::string name = fmt::format("c{}", i);
      plan_.candidates.push_back({0, {name, {fmt::format("--{}", name)}, {}}});
    }
    store::Run run;
    run.key = "k";
    run.command = "test";
    run_ = store_.addRun(run).value();
  }
  [[nodiscard]] TrialContext context() {
    return {toolchain_.compiler, toolchain_.runner, store_, progress_, run_, remote_};
  }
  /// Returns the distinct numbers of samples per trial in a stage.
  [[nodiscard]] std::set<std::size_t> counts(Stage stage) const {
    std::map<std::int64_t, std::size_t> byTrial;
    const auto samples = store_.samples(run_).value();
    for (const store::TrialSample& one : samples) {
      byTrial[one.trial] += one.sample.stage == stage ? 1 : 0;
    }
    std::set<std::size_t> counts;
    for (const auto& [trial, count] : byTrial) {
      counts.insert(count);
    }
    return counts;
  }

  TestToolchain toolchain_;
  store::Store store_ =
      store::Store::open(toolchain_.folder.path() / "s.db", store::Store::Mode::write).value();
  Progress progress_{true};
  FakeRemote remote_;
  Plan plan_;
  std::int64_t run_ = 0;
};

TEST_F(RemoteSession, IgnoresSamplesOfRepeatedResult) {
  for (int again = 0; again < 2; ++again) {
    Session session(context(), plan_, toolchain_.folder.path());
    ASSERT_TRUE(session.restore());
    ASSERT_TRUE(session.proveAll());
    EXPECT_EQ(counts(Stage::screen), std::set<std::size_t>{1});
    EXPECT_EQ(counts(Stage::final), std::set<std::size_t>{1});
  }
}

TEST_F(RemoteSession, KeepsRepeatedScreeningBeforeFinal) {
  for (int again = 0; again < 2; ++again) {
    Session session(context(), plan_, toolchain_.folder.path());
    ASSERT_TRUE(session.restore());
    ASSERT_TRUE(session.submitPlanned());
    ASSERT_TRUE(session.receive());
    ASSERT_TRUE(session.submitFinal());
    ASSERT_TRUE(session.receive());
    EXPECT_EQ(counts(Stage::screen), std::set<std::size_t>{2});
  }
}

TEST_F(RemoteSession, LaterBaselineFailureFailsOnlyItsUnit) {
  remote_.faulty = {fmt::format("c{}", kCandidates - 1)};
  Session session(context(), plan_, toolchain_.folder.path());
  ASSERT_TRUE(session.submitPlanned());
  const auto received = session.receive();
  ASSERT_TRUE(received) << received.error().message;
  std::size_t failed = 0;
  const auto trials = store_.trials(run_).value();
  EXPECT_EQ(trials.size(), std::size_t{kCandidates});
  for (const store::Trial& trial : trials) {
    failed += trial.outcome == Outcome::runFailed ? 1 : 0;
    EXPECT_EQ(trial.message, trial.outcome == Outcome::ok ? "" : "the baseline does not run");
  }
  EXPECT_EQ(failed, 1U);
}

TEST_F(RemoteSession, FirstBaselineFailureIsUserError) {
  remote_.faulty = {"c1"};
  Session session(context(), plan_, toolchain_.folder.path());
  ASSERT_TRUE(session.submitPlanned());
  const auto received = session.receive();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().fault, Fault::user);
}

}  // namespace
}  // namespace hone::engine
