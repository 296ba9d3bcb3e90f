#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/error.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// Writes the sweep into the folder, which is made where it is missing: a file for each limit
/// (limit_64_<stem>.csv), for the baseline and for no split (limit_baseline_…, limit_nosplit_…),
/// and limitParallelLoops_sweep_results.json. Times are microseconds, N.A. where a trial failed.
[[nodiscard]] Result<void> writeResults(const std::filesystem::path& folder, std::string_view stem,
                                        const SweepResult& sweep);

/// What limitParallelLoops_sweep_results.json holds. Shapes whose limits all failed are left out:
/// they have no best one.
[[nodiscard]] nlohmann::json sweepSummary(const SweepResult& sweep);

}  // namespace hone::split
