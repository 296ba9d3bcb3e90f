#pragma once

#include "report/data/run_record.h"

namespace hone::report {

/// Describes a run of `hone tune`: finished, running, failed, or stored by an older version with
/// less data. Fails with a user error if the format of its result is unknown.
[[nodiscard]] Result<void> describeTune(const RunRecord& record, Document& document);

}  // namespace hone::report
