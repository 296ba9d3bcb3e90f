#pragma once

#include <vector>

#include "iree/compiler.h"
#include "iree/dispatch_times.h"
#include "iree/execution.h"
#include "trial/elsewhere.h"
#include "tune/whole_program.h"

namespace hone::tune {

/// What each dispatch of the program costs as the request compiles it; run there with `elsewhere`.
/// None where the device does not tell: that is no reason not to tune. A program that does not
/// compile or run is a user error.
[[nodiscard]] Result<std::vector<iree::DispatchTime>> programTimes(
    iree::Compiler& compiler, const iree::Executor& executor, const WholeProgram& whole,
    const iree::CompileRequest& request, trial::Elsewhere* elsewhere = nullptr);

}  // namespace hone::tune
