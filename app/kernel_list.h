#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/kernel_bench.h"
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

/// The summary that later lists look things up in.
[[nodiscard]] nlohmann::json listSummary(const std::vector<kernel::ListedKernel>& listed);

/// `hone kernel list-slow`.
void addKernelListVerb(CLI::App& kernel, Context& context);

}  // namespace hone::app
