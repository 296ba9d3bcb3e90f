#pragma once

#include "app/common/context.h"
#include "base/error.h"
#include "store/records.h"

namespace hone::app {

/// Resumes an unfinished run, or restarts a failed one: runs its recorded command in its working
/// folder and returns the exit code. The run must not be finished, and no store may be open.
[[nodiscard]] Result<int> resumeRun(const store::Run& run, Context& context);

}  // namespace hone::app
