#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::verify {

/// What oneDNN needs for a problem on plain row-major tensors.
struct LibraryTimes {
  std::vector<double> wallNs;  ///< a call, the mean over `iterations` in a row; one a repetition
  /// The same of all threads together. Where there are several, the kernel adds up the others' only
  /// now and then: a repetition of a few milliseconds can have too much or too little.
  std::vector<double> cpuNs;
  /// oneDNN's own name of the code that ran: "brg:avx512_core", several joined by " + ".
  std::string implementation;
  /// How many tensors each call moves between their plain layout and one of oneDNN's; their time is
  /// in the times.
  std::int64_t moves = 0;
  /// The constant weights (right-hand side, filter) were moved once, before anything was timed.
  bool weightsPrepacked = false;

  bool operator==(const LibraryTimes&) const = default;
};

/// Times the problem by oneDNN in this process, which afterwards has OpenMP's threads and must not
/// fork: it is meant to be a child made for it. A repetition that is not counted comes first;
/// making primitives is not timed. Of plain layouts and those that oneDNN likes best, with the
/// moves that this costs, the quicker is taken. A user error: oneDNN cannot do this problem, or has
/// only unoptimized code for it.
[[nodiscard]] Result<LibraryTimes> timeOneDnn(const model::Problem& problem, int threads,
                                              std::int64_t iterations, std::int64_t repetitions);

}  // namespace hone::verify
