#pragma once

#include <string>
#include <string_view>

#include "base/process/subprocess.h"
#include "iree/compile/compile_report.h"

namespace hone::iree {

/// What kind of end it was, from how the child ended and what it said.
[[nodiscard]] CompileReport::Status statusOf(const Ending& ending, std::string_view log);

/// The one line that a person needs: the first error with its place, or how the compiler ended.
[[nodiscard]] std::string shortDiagnostics(CompileReport::Status status, const Ending& ending,
                                           std::string_view log, const Limits& limits);

/// The first line that says what went wrong in the output of a compiler or a runtime tool, without
/// the tool's own source locations; "" when there is none.
[[nodiscard]] std::string firstError(std::string_view log);

/// Whether a tool failed because the disk is full: the machine's fault, not that of what it was
/// given.
[[nodiscard]] bool diskWasFull(std::string_view log);

}  // namespace hone::iree
