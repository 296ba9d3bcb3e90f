#pragma once

#include "model/result/summary/split_result.h"
#include "report/data/run_record.h"

namespace hone::report {

/// Describes a run of `hone split`: finished, running, failed, or stored by an older version with
/// less data. Fails with a user error if the format of its result is unknown.
[[nodiscard]] Result<void> describeSplit(const RunRecord& record, Document& document);

/// Returns the totals of the recommended ladder; for older runs those of the ladder with fewer
/// regressions. Returns nullptr if nothing was validated.
[[nodiscard]] const model::SplitTally* recommendedTally(const model::SplitResult& result);

}  // namespace hone::report
