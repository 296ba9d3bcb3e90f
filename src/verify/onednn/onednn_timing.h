#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::verify {

/// Times of oneDNN for a problem on plain row-major tensors.
struct LibraryTimes {
  std::vector<double> wallNs;  ///< time per call, the mean over `iterations`; one per repetition
  /// CPU time per call over all threads. Linux accounts the other threads only occasionally,
  /// so repetitions of a few milliseconds are inaccurate with several threads.
  std::vector<double> cpuNs;
  /// oneDNN's implementation name, such as "brg:avx512_core"; several are joined by " + ".
  std::string implementation;
  /// Number of reorders between plain and oneDNN layouts per call, included in the times.
  std::int64_t reorders = 0;
  /// True if constant weights (right-hand side, filter) were reordered once, before timing.
  bool weightsPrepacked = false;

  bool operator==(const LibraryTimes&) const = default;
};

/// Times the problem with oneDNN. Call it in a dedicated child process: OpenMP threads remain
/// afterwards, so the process must not fork. Excludes creating primitives and a warm-up repetition.
/// Uses the faster of plain layouts and those chosen by oneDNN, including reorders. Fails with a
/// user error if oneDNN does not support the problem or has only unoptimized code for it.
[[nodiscard]] Result<LibraryTimes> timeOneDnn(const model::Problem& problem, int threads,
                                              std::int64_t iterations, std::int64_t repetitions);

}  // namespace hone::verify
