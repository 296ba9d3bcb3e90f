#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/kernel/kernel_bench.h"
#include "base/progress.h"
#include "kernel/turns/slow_list.h"
#include "store/store.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Measures every kernel below the folder under the run, the slowest first. What an earlier list of
/// the same machine has of equal content is taken from there.
[[nodiscard]] Result<std::vector<kernel::ListedKernel>> listKernels(
    store::Store& store, std::int64_t run, const KernelBench& bench,
    const std::filesystem::path& folder, Progress& progress);

/// One of them, which may be known by its content; what is wrong with it is a value.
[[nodiscard]] Result<kernel::ListedKernel> listKernelFile(
    store::Store& store, std::int64_t run, const KernelBench& bench,
    const std::filesystem::path& file, const std::string& name,
    const std::map<std::string, kernel::ListedKernel>& known, Progress& progress);
/// The slowest first.
void sortListed(std::vector<kernel::ListedKernel>& listed);

/// The result that later lists look kernels up in.
[[nodiscard]] model::KernelResult listResult(const std::vector<kernel::ListedKernel>& listed);

[[nodiscard]] std::int64_t countImproved(
    const std::map<std::string, model::KernelOutcome>& outcomes);

/// `hone kernel list-slow`.
void addKernelListVerb(CLI::App& kernel, Context& context);

}  // namespace hone::app
