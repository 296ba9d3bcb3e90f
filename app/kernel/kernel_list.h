#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/kernel/kernel_bench.h"
#include "base/progress.h"
#include "engine/executor/run_units.h"
#include "kernel/turns/slow_list.h"
#include "store/store.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Measures every kernel below `folder`; returns the slowest first. Reuses results of kernels with
/// equal content from earlier lists on this machine. If `bench` is null, only other processes can
/// measure.
[[nodiscard]] Result<std::vector<kernel::ListedKernel>> listKernels(
    const engine::UnitRun& run, const KernelBench* bench, const KernelBenchOptions& options,
    const std::filesystem::path& folder);

/// The run that lists kernels, and the tools to measure them.
struct ListContext {
  store::Store& store;
  std::int64_t run = 0;
  const KernelBench& bench;
  const std::map<std::string, kernel::ListedKernel>& known;  ///< earlier results, by content
  Progress& progress;
};

/// Measures one kernel, or looks it up by content. `name` identifies it within the run. Its user
/// errors are stored in the returned value.
[[nodiscard]] Result<kernel::ListedKernel> listKernelFile(const ListContext& context,
                                                          const std::filesystem::path& file,
                                                          const std::string& name);

/// Returns the result to store, from which later lists reuse kernels.
[[nodiscard]] model::KernelResult listResult(const std::vector<kernel::ListedKernel>& listed);

[[nodiscard]] std::int64_t countImproved(
    const std::map<std::string, model::KernelOutcome>& outcomes);

/// Adds `hone kernel list-slow`.
void addKernelListCommand(CLI::App& kernel, Context& context);

}  // namespace hone::app
