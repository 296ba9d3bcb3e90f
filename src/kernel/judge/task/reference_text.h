#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// The task that a C++ reference describes in lines that begin with "// hone:":
///
///     // hone: sizes M=480 N=480 K=480
///     // hone: other M=37 N=53 K=61
///     // hone: input A f32 MxK
///     // hone: output C f32 Mx(N-2)
///     // hone: flops 2*M*N*K
///
/// What is wrong is a user error "FILE:LINE: …". The paths of the task stay empty.
[[nodiscard]] Result<Task> taskFromReference(std::string_view text, std::string_view file);

/// What the lines of a Python reference say:
///
///     # hone: flops 2*512*512
///     # hone: other ROWS=37 COLUMNS=2048
///
/// The first where torch counts too many: it takes a product with a diagonal matrix for one with a
/// full matrix. The others are values of the file's constants with which a kernel must be right,
/// too; all of them name the same constants in the same order.
struct PythonNotes {
  std::optional<double> flops;
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> others;
};
[[nodiscard]] Result<PythonNotes> notesOfPython(std::string_view text, std::string_view file);

/// Whether a line "// hone: fixed sizes" ("# hone: fixed sizes") says that the kernel is right for
/// the task's own sizes only.
[[nodiscard]] bool hasFixedSizes(const Source& source);

}  // namespace hone::kernel
