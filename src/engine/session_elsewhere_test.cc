#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/elsewhere.h"
#include "engine/session.h"
#include "engine/test_toolchain.h"

namespace hone::engine {
namespace {

using model::Outcome;
using model::Stage;

/// A place where every candidate takes as long as the baseline; units that hold a candidate that is
/// at fault are a user error.
class FakePlace : public Elsewhere {
 public:
  [[nodiscard]] Result<std::string> begin(const Plan& plan, Extent extent) override {
    plans_.emplace_back(plan.candidates, extent);
    return std::to_string(plans_.size() - 1);
  }
  [[nodiscard]] Result<PlanAnswer> end(const std::string& ticket) override {
    const auto& [candidates, extent] = plans_[std::stoul(ticket)];
    PlanAnswer answer;
    for (const Candidate& candidate : candidates) {
      if (faulty.contains(candidate.config.name)) {
        return userError("the baseline does not run");
      }
      TriedThere tried;
      tried.record.trial.key = candidate.config.name;
      tried.record.trial.artifact = candidate.config.name;
      tried.record.trial.details.screenNs = 100;
      tried.record.trial.details.passed = true;
      tried.record.samples = {{Stage::screen, 0, 0, 0, 100, 100, 1}};
      if (extent == Extent::proven) {
        tried.record.samples.push_back({Stage::final, 0, 0, 0, 100, 100, 1});
      }
      answer.tried.push_back(std::move(tried));
    }
    return answer;
  }
  [[nodiscard]] Result<std::size_t> any(std::span<const std::string> /*tickets*/) override {
    return std::size_t{0};
  }
  [[nodiscard]] Result<std::vector<iree::DispatchTime>> dispatchTimes(
      const Plan& /*plan*/, std::int64_t /*calls*/) override {
    return std::vector<iree::DispatchTime>{};
  }
  [[nodiscard]] std::size_t places() const override { return 1; }

  std::set<std::string> faulty;

 private:
  std::vector<std::pair<std::vector<Candidate>, Extent>> plans_;
};

class SessionElsewhere : public testing::Test {
 protected:
  /// More than go into one unit.
  static constexpr int kCandidates = 20;

  SessionElsewhere() {
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
    run.verb = "test";
    run_ = store_.addRun(run).value();
  }
  [[nodiscard]] Workbench bench() {
    return {toolchain_.compiler, toolchain_.runner, store_, progress_, run_, &place_};
  }
  /// How many samples of a stage each trial has.
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
  FakePlace place_;
  Plan plan_;
  std::int64_t run_ = 0;
};

TEST_F(SessionElsewhere, AnAnswerThatIsTakenOnceMoreAddsNoSamples) {
  for (int again = 0; again < 2; ++again) {
    Session session(bench(), plan_, toolchain_.folder.path());
    ASSERT_TRUE(session.restore());
    ASSERT_TRUE(session.proveElsewhere());
    EXPECT_EQ(counts(Stage::screen), std::set<std::size_t>{1});
    EXPECT_EQ(counts(Stage::final), std::set<std::size_t>{1});
  }
}

TEST_F(SessionElsewhere, ScreeningBeforeAFinalIsKeptBesideTheFirst) {
  for (int again = 0; again < 2; ++again) {
    Session session(bench(), plan_, toolchain_.folder.path());
    ASSERT_TRUE(session.restore());
    ASSERT_TRUE(session.tryPlanned());
    ASSERT_TRUE(session.receive());
    ASSERT_TRUE(session.finish());
    ASSERT_TRUE(session.receive());
    EXPECT_EQ(counts(Stage::screen), std::set<std::size_t>{2});
  }
}

TEST_F(SessionElsewhere, ABaselineThatFailsInALaterUnitOnlyEndsThatUnit) {
  place_.faulty = {fmt::format("c{}", kCandidates - 1)};
  Session session(bench(), plan_, toolchain_.folder.path());
  ASSERT_TRUE(session.tryPlanned());
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

TEST_F(SessionElsewhere, ABaselineThatFailsAtOnceIsTheUsersFault) {
  place_.faulty = {"c1"};
  Session session(bench(), plan_, toolchain_.folder.path());
  ASSERT_TRUE(session.tryPlanned());
  const auto received = session.receive();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().fault, Fault::user);
}

}  // namespace
}  // namespace hone::engine
