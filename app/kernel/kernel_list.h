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

/// Measures one kernel, or looks it up in `known` by content. Its user errors are stored in the
/// returned value.
[[nodiscard]] Result<kernel::ListedKernel> listKernelFile(
    store::Store& store, std::int64_t run, const KernelBench& bench,
    const std::filesystem::path& file, const std::string& name,
    const std::map<std::string, kernel::ListedKernel>& known, Progress& progress);

/// Returns the result to store, from which later lists reuse kernels.
[[nodiscard]] model::KernelResult listResult(const std::vector<kernel::ListedKernel>& listed);

[[nodiscard]] std::int64_t countImproved(
    const std::map<std::string, model::KernelOutcome>& outcomes);

/// Adds `hone kernel list-slow`.
void addKernelListCommand(CLI::App& kernel, Context& context);

}  // namespace hone::app
