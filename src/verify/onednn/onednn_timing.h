#pragma once

#include <cstdint>

#include "base/error.h"
#include "model/problem/problem.h"
#include "verify/library_times.h"

namespace hone::verify {

/// Times the problem with oneDNN. Call it in a dedicated child process: OpenMP threads remain
/// afterwards, so the process must not fork. Excludes creating primitives and a warm-up repetition.
/// Uses the faster of plain layouts and those chosen by oneDNN, including reorders. Fails with a
/// user error if oneDNN does not support the problem or has only unoptimized code for it.
[[nodiscard]] Result<LibraryTimes> timeOneDnn(const model::Problem& problem, int threads,
                                              std::int64_t iterations, std::int64_t repetitions);

}  // namespace hone::verify
