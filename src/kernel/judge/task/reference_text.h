#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// Parses the task that a C++ reference declares in "// hone:" lines:
///
///     // hone: sizes M=480 N=480 K=480
///     // hone: other M=37 N=53 K=61
///     // hone: input A f32 MxK
///     // hone: output C f32 Mx(N-2)
///     // hone: flops 2*M*N*K
///
/// Errors are user errors "FILE:LINE: …". The paths of the task stay empty.
[[nodiscard]] Result<Task> taskFromReference(std::string_view text, std::string_view file);

/// The "# hone:" lines of a Python reference:
///
///     # hone: flops 2*512*512
///     # hone: other ROWS=37 COLUMNS=2048
///
/// `flops` overrides torch's count, which is too high e.g. for a product with a diagonal matrix.
/// Each `other` line gives values of the file's constants for which a kernel must also be correct;
/// all lines name the same constants in the same order.
struct PythonNotes {
  std::optional<double> flops;
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> others;
};
[[nodiscard]] Result<PythonNotes> parsePythonNotes(std::string_view text, std::string_view file);

/// Returns true if a line "// hone: fixed sizes" ("# hone: fixed sizes") declares that the kernel
/// supports only the task's own sizes.
[[nodiscard]] bool hasFixedSizes(const Source& source);

}  // namespace hone::kernel
