#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/toolchain.h"
#include "app/split/split_sweep.h"
#include "base/file.h"
#include "base/progress.h"
#include "engine/executor/executor.h"
#include "engine/executor/run_units.h"
#include "split/sweep/sweep_unit.h"
#include "store/store.h"

namespace hone::app {

/// Toolchain, store and run of a subcommand.
struct SplitCommand {
  Toolchain toolchain;
  iree::ModuleRunner runner;
  std::vector<iree::ModuleRunner> others = {};  ///< of further devices that share the shapes
  store::Store store;
  std::int64_t run = 0;
  ScratchFolder folder;  ///< for sources
  Progress& progress;
  std::unique_ptr<engine::Executor> executor = nullptr;

  SplitCommand(Toolchain started, store::Store opened, std::int64_t number, ScratchFolder scratch,
               Progress& shown)
      : toolchain(std::move(started)),
        runner(toolchain.runner()),
        store(std::move(opened)),
        run(number),
        folder(std::move(scratch)),
        progress(shown) {}
  [[nodiscard]] engine::UnitRun unitRun() { return {*executor, store, run, progress}; }
};

/// Returns the devices of the run, as stored with it.
[[nodiscard]] std::string deviceNames(const Toolchain& toolchain, const SplitOptions& options);

/// Starts the compiler and the executor, and adds or continues the run. `mode` distinguishes the
/// runs of the subcommands.
[[nodiscard]] Result<std::unique_ptr<SplitCommand>> startCommand(
    const Context& context, const SplitOptions& options, std::string_view mode,
    const std::vector<split::SweepProblem>& problems, Progress& progress);

}  // namespace hone::app
