#pragma once

#include <string>
#include <string_view>

#include "base/process/subprocess.h"
#include "iree/compile/report/compile_report.h"

namespace hone::iree {

/// Derives the status from the child's exit status and its output.
[[nodiscard]] CompileReport::Status classifyEnding(const Ending& ending, std::string_view log);

/// Returns a one-line summary: the first error with its location, or the way the compiler ended.
[[nodiscard]] std::string shortDiagnostics(CompileReport::Status status, const Ending& ending,
                                           std::string_view log, const Limits& limits);

/// Returns the first error line in the output of a compiler or runtime tool, without the tool's own
/// source locations; "" if there is none.
[[nodiscard]] std::string firstError(std::string_view log);

/// Returns true if a tool failed because the disk is full: a machine error, not a user error.
[[nodiscard]] bool diskWasFull(std::string_view log);

}  // namespace hone::iree
