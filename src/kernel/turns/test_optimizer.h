#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "kernel/propose/test_loop.h"
#include "kernel/turns/optimizer.h"

namespace hone::kernel::test {

/// Arguments of OptimizerFixture::optimize() that most tests do not set.
struct OptimizeArguments {
  std::string scope{};
  Source original = kernelTaking(1000);
  bool quiet = true;
};

/// A store with one run that several optimizers can use in turn.
class OptimizerFixture {
 public:
  OptimizerFixture() {
    store::Run run;
    run.key = "k";
    run.command = "kernel";
    run_ = store_.addRun(run).value();
  }

  Result<Optimized> optimize(KernelJudge& kernelJudge, Proposer& proposer,
                             const OptimizeOptions& options, const OptimizeArguments& more = {}) {
    Progress progress(more.quiet);
    progress.watch(std::make_unique<Watcher>(seen));
    Optimizer optimizer({kernelJudge, proposer, nullptr, progress},
                        {store_, run_, more.scope, iree::RankBy::cpu, 1}, options);
    return optimizer.optimize(more.original);
  }
  [[nodiscard]] std::vector<store::Trial> trials() const { return store_.trials(run_).value(); }
  [[nodiscard]] model::RunDetails details() const { return store_.run(run_).value()->details; }
  void setDetails(const model::RunDetails& details) {
    EXPECT_TRUE(store_.setDetails(run_, details));
  }

  std::vector<ProgressState> seen;  ///< at every step

 private:
  struct Watcher : ProgressWatcher {
    explicit Watcher(std::vector<ProgressState>& to) : states(to) {}
    void see(const ProgressState& state, bool /*newStage*/) override { states.push_back(state); }
    std::vector<ProgressState>& states;
  };

  ScratchFolder folder_ = ScratchFolder::create("hone-optimizer-test").value();
  store::Store store_ =
      store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = 0;
};

/// Returns options whose target speedup no test reaches.
inline OptimizeOptions unreachableTarget() {
  OptimizeOptions options;
  options.targetSpeedup = 1000;
  return options;
}

}  // namespace hone::kernel::test
