#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

inline constexpr std::string_view kSummaryFile = "limitParallelLoops_sweep_results.json";
/// Names of the references in file names, in place of a limit.
inline constexpr std::string_view kBaselineTable = "baseline";
inline constexpr std::string_view kNoSplitTable = "nosplit";

/// Returns the file name of a table: limit_<word>_<stem>.csv. `word` is a limit, kBaselineTable or
/// kNoSplitTable.
[[nodiscard]] std::string tableFile(std::string_view word, std::string_view stem);

/// Returns the results folder of a workload in the working folder. It is named after the workload
/// without a final `_conv`, as earlier tools did: prod_conv.txt -> prod_results. An existing folder
/// prod_conv_results is used if there is no prod_results.
[[nodiscard]] std::filesystem::path findResultsFolder(std::string_view stem);

/// Writes the sweep to the folder, which is created if it is missing. There is one file per limit
/// (limit_64_<stem>.csv), one for the baseline and for no split (limit_baseline_…,
/// limit_nosplit_…), and limitParallelLoops_sweep_results.json. Times are microseconds, N.A. for
/// failed trials.
[[nodiscard]] Result<void> writeResults(const std::filesystem::path& folder, std::string_view stem,
                                        const SweepResult& sweep);

/// Writes limitParallelLoops_sweep_results.json alone.
[[nodiscard]] Result<void> writeSummary(const std::filesystem::path& folder,
                                        const SweepResult& sweep);

}  // namespace hone::split
