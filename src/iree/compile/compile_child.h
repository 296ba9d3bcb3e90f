#pragma once

#include <string_view>

#include "iree/compile/compile_job.h"
#include "iree/module/compiler_api.h"

namespace hone::iree {

/// Exit codes of a compile child; the pool turns them into a status.
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadFlag = 10;
inline constexpr int kExitBadSource = 11;
inline constexpr int kExitNoMatch = 12;
inline constexpr int kExitNoVariants = 13;

/// Whether the compiler's library takes a flag for a whole process only, and knows none such in a
/// session.
[[nodiscard]] bool isProcessFlag(std::string_view flag);

/// Does the job in this process and returns its exit code; diagnostics go to stderr. Leaks what it
/// makes: the process ends right after it.
[[nodiscard]] int performJob(const CompilerApi& api, const CompileJob& job);

}  // namespace hone::iree
