#pragma once

#include <span>
#include <vector>

#include "engine/executor/executor.h"
#include "engine/plan/dispatch_times_unit.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// Tools for measuring the dispatches of a program.
struct TimesTools {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  engine::Executor* executor = nullptr;  ///< null: measure in this process, without a run
};

/// Measures the time of each dispatch of the program for each config, all on one machine. Returns
/// nothing if the device does not support it; tuning continues without. Fails with a user error if
/// the program does not compile or run.
[[nodiscard]] Result<std::vector<engine::DispatchTimes>> programTimes(
    const TimesTools& tools, const WholeProgram& whole, const std::vector<std::string>& flags,
    std::span<const model::Config> configs);

}  // namespace hone::tune
