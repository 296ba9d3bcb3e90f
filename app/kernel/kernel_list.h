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

/// Measures every kernel below the folder under the run; returns the slowest first. A kernel of
/// equal content that an earlier list of the same machine measured is taken from there. Without a
/// bench only other processes can measure.
[[nodiscard]] Result<std::vector<kernel::ListedKernel>> listKernels(
    const engine::UnitRun& run, const KernelBench* bench, const KernelBenchOptions& options,
    const std::filesystem::path& folder);

/// One of them, which may be known by its content; what is wrong with it is a value.
[[nodiscard]] Result<kernel::ListedKernel> listKernelFile(
    store::Store& store, std::int64_t run, const KernelBench& bench,
    const std::filesystem::path& file, const std::string& name,
    const std::map<std::string, kernel::ListedKernel>& known, Progress& progress);

/// The result that later lists look kernels up in.
[[nodiscard]] model::KernelResult listResult(const std::vector<kernel::ListedKernel>& listed);

[[nodiscard]] std::int64_t countImproved(
    const std::map<std::string, model::KernelOutcome>& outcomes);

/// `hone kernel list-slow`.
void addKernelListVerb(CLI::App& kernel, Context& context);

}  // namespace hone::app
