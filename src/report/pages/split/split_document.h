#pragma once

#include "report/data/run_record.h"

namespace hone::report {

/// Describes a run of `hone split`. Takes runs that are under way, that failed, and those of older
/// versions, which kept less; a user error if its result has a form that this version does not
/// know.
[[nodiscard]] Result<void> describeSplit(const RunRecord& record, Document& document);

}  // namespace hone::report
