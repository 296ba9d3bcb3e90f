#pragma once

#include "app/common/context.h"
#include "base/error.h"
#include "store/records.h"

namespace hone::app {

/// Continues an unfinished run, or starts a failed one anew: runs its recorded command in its
/// working folder and returns the exit code. The caller rejects finished runs and must not have a
/// store open.
[[nodiscard]] Result<int> resumeRun(const store::Run& run, Context& context);

}  // namespace hone::app
