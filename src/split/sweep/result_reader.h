#pragma once

#include <filesystem>

#include "base/error.h"
#include "split/sweep/sweep_result.h"
#include "split/sweep/validation/validation.h"

namespace hone::split {

/// Reads a results folder, possibly written by another program: files limit_<L>_<stem>.csv of one
/// or more stems with the columns `arguments` and `iree_boo_experimental mean`. Rows without a time
/// or a valid problem are counted and listed as failures. If arguments repeat, the last time wins.
[[nodiscard]] Result<SweepResult> readResults(const std::filesystem::path& folder);

/// Compares the times of the folder's optimized_config_<stem>.csv files with the sweep's baseline.
/// Verdicts are based on the times alone. Returns no shapes if there are no such files.
[[nodiscard]] Result<Validation> readValidation(const std::filesystem::path& folder,
                                                const SweepResult& sweep);

}  // namespace hone::split
