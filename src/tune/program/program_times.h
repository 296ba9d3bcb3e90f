#pragma once

#include <span>
#include <vector>

#include "engine/executor/executor.h"
#include "engine/plan/dispatch_times_unit.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// The tools that measure what the dispatches of a program cost.
struct TimesTools {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  engine::Executor* executor = nullptr;  ///< none: this process, without a run
};

/// Measures what each dispatch of the program costs under the flags with each config, all on one
/// machine. Returns nothing where the device cannot tell: that is no reason not to tune. A program
/// that does not compile or run is a user error.
[[nodiscard]] Result<std::vector<engine::DispatchTimes>> programTimes(
    const TimesTools& tools, const WholeProgram& whole, const std::vector<std::string>& flags,
    std::span<const model::Config> configs);

}  // namespace hone::tune
