#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::verify {

/// Times of a library, such as oneDNN, for one problem or model.
struct LibraryTimes {
  std::vector<double> wallNs;  ///< time per call, the mean over `iterations`; one per repetition
  /// CPU time per call over all threads. Linux accounts the other threads only occasionally,
  /// so repetitions of a few milliseconds are inaccurate with several threads.
  std::vector<double> cpuNs;
  /// Name of the implementation, such as "brg:avx512_core" of oneDNN; several are joined by " + ".
  std::string implementation;
  /// Number of reorders between plain and oneDNN layouts per call, included in the times.
  std::int64_t reorders = 0;
  /// True if constant weights (right-hand side, filter) were reordered once, before timing.
  bool weightsPrepacked = false;

  bool operator==(const LibraryTimes&) const = default;
};

/// Number of timed calls.
struct CallCounts {
  std::int64_t iterations = 1;   ///< calls per repetition
  std::int64_t repetitions = 1;  ///< timed repetitions; one more is the warm-up
};

/// Times the calls after one warm-up repetition and adds one time per repetition to `times`. Stops
/// at the first call that fails.
[[nodiscard]] Result<void> timeCalls(const std::function<Result<void>()>& call,
                                     const CallCounts& counts, LibraryTimes& times);

}  // namespace hone::verify
