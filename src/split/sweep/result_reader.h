#pragma once

#include <filesystem>

#include "base/error.h"
#include "split/sweep/sweep_result.h"
#include "split/sweep/validation.h"

namespace hone::split {

/// Reads a results folder, which another program may have written: files limit_<L>_<stem>.csv of
/// one or more stems with the columns `arguments` and `iree_boo_experimental mean`. Rows without a
/// time, and lines that are no problem, are counted and named. Of rows with the same arguments the
/// last time counts.
[[nodiscard]] Result<SweepResult> readResults(const std::filesystem::path& folder);

/// Compares the times of the folder's optimized_config_<stem>.csv files with the sweep's baseline;
/// verdicts follow from the times alone. Returns no shapes if there are no such files.
[[nodiscard]] Result<Validation> readValidation(const std::filesystem::path& folder,
                                                const SweepResult& sweep);

}  // namespace hone::split
