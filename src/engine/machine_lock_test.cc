#include "engine/machine_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

#include "base/progress.h"
#include "engine/budget.h"

namespace hone::engine {
namespace {

/// Records the progress note shown during the wait and kills the holder of the lock.
class KillingWatcher : public ProgressWatcher {
 public:
  KillingWatcher(std::string& seen, pid_t holder) : seen_(seen), holder_(holder) {}
  void see(const ProgressState& state, bool /*newStage*/) override {
    if (!state.note.empty()) {
      seen_ = state.note;
      ::kill(holder_, SIGKILL);
    }
  }

 private:
  std::string& seen_;
  pid_t holder_;
};

/// Each test program has its own lock.
class MachineLockTest : public ::testing::Test {
 protected:
  /// Starts a child that holds the lock for measuring until `release_` is closed.
  pid_t startHolder() {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    EXPECT_EQ(::pipe(release_.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(release_[1]);
      const auto lock = MachineLock::forMeasuring();
      char byte = lock ? 'y' : 'n';
      static_cast<void>(::write(ready[1], &byte, 1));
      static_cast<void>(::read(release_[0], &byte, 1));  // blocks until the parent closes its end
      ::_exit(0);
    }
    char byte = 'n';
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    return child;
  }

  std::array<int, 2> release_{};
};

TEST_F(MachineLockTest, ShowsHolderAndExcludesWaitFromBudget) {
  const pid_t holder = startHolder();
  std::string seen;
  Progress progress(true);
  progress.watch(std::make_unique<KillingWatcher>(seen, holder));
  const BudgetClock clock({.time = std::chrono::hours(1), .trials = std::nullopt});
  const std::int64_t before = MachineLock::waitedNs();
  const auto left = clock.leftUntil(1.0);
  const auto lock = MachineLock::forCompiling();
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_GT(MachineLock::waitedNs() - before, 0);
  EXPECT_EQ(seen,
            "waiting for another hone (pid " + std::to_string(holder) + ") to finish measuring");
  EXPECT_LT(*left - *clock.leftUntil(1.0), std::chrono::milliseconds(100));
  ::waitpid(holder, nullptr, 0);
}

TEST_F(MachineLockTest, IsSharedByCompiles) {
  const auto first = MachineLock::forCompiling();
  const std::int64_t before = MachineLock::waitedNs();
  const auto second = MachineLock::forCompiling();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(MachineLock::waitedNs(), before);
}

}  // namespace
}  // namespace hone::engine
