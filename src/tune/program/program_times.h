#pragma once

#include <vector>

#include "engine/elsewhere.h"
#include "iree/compile/compiler.h"
#include "iree/run/dispatch_times.h"
#include "iree/run/execution.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// What each dispatch of the program costs as the request compiles it; run there with `elsewhere`.
/// None where the device does not tell: that is no reason not to tune. A program that does not
/// compile or run is a user error.
[[nodiscard]] Result<std::vector<iree::DispatchTime>> programTimes(
    iree::Compiler& compiler, const iree::ModuleRunner& runner, const WholeProgram& whole,
    const iree::CompileRequest& request, engine::Elsewhere* elsewhere = nullptr);

}  // namespace hone::tune
