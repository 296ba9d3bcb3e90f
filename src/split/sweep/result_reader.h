#pragma once

#include <filesystem>

#include "base/error.h"
#include "split/sweep/sweep_result.h"
#include "split/sweep/validation.h"

namespace hone::split {

/// Reads a results folder, whoever wrote it: files limit_<L>_<stem>.csv of one or more stems with
/// the columns `arguments` and `iree_boo_experimental mean`. Rows without a time, and lines that
/// are no problem, are counted and named. Of rows with the same arguments the last time counts.
[[nodiscard]] Result<SweepResult> readResults(const std::filesystem::path& folder);

/// The times of optimized_config_<stem>.csv files in the folder against the sweep's baseline, with
/// verdicts by the times alone; no shapes where there are no such files.
[[nodiscard]] Result<Validation> readValidation(const std::filesystem::path& folder,
                                                const SweepResult& sweep);

}  // namespace hone::split
