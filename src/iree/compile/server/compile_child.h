#pragma once

#include "iree/compile/job/compile_job.h"
#include "iree/module/compiler_api.h"

namespace hone::iree {

/// Exit codes of a compile child; the pool converts them to a status.
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadFlag = 10;
inline constexpr int kExitBadSource = 11;
inline constexpr int kExitNoMatch = 12;
inline constexpr int kExitNoVariants = 13;

/// Runs the job in this process and returns the exit code; diagnostics go to stderr. Frees nothing
/// because the process exits right afterwards.
[[nodiscard]] int performJob(const CompilerApi& api, const CompileJob& job);

}  // namespace hone::iree
