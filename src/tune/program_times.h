#pragma once

#include <vector>

#include "iree/compiler.h"
#include "iree/dispatch_times.h"
#include "iree/execution.h"
#include "trial/elsewhere.h"
#include "tune/whole_program.h"

namespace hone::tune {

/// What each dispatch of the program costs as the request compiles it; run there with `elsewhere`.
[[nodiscard]] Result<std::vector<iree::DispatchTime>> programTimes(
    iree::Compiler& compiler, const iree::Executor& executor, const WholeProgram& whole,
    const iree::CompileRequest& request, trial::Elsewhere* elsewhere = nullptr);

}  // namespace hone::tune
