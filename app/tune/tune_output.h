#pragma once

#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "app/tune/tune_report.h"

namespace hone::app {

/// Whether a spec can be written there, to be asked before minutes are spent on it.
[[nodiscard]] Result<void> checkOutput(const std::string& output);

/// Writes the spec of all programs to the file, with the scripts that some flags need beside it,
/// and prints what was found and how it is used; without a file the spec is printed, too. A program
/// whose spec conflicts with that of another gets a file of its own.
[[nodiscard]] Result<void> writeResult(const Context& context, Toolchain& toolchain,
                                       Progress& progress, const std::vector<TunedProgram>& tuned,
                                       const std::string& output);

}  // namespace hone::app
