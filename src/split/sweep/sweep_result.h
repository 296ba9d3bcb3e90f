#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/problem/reduction.h"

namespace hone::split {

/// The times of one candidate, in microseconds as the files have them.
struct Timing {
  double meanUs = 0;
  /// 0 where only the mean is known: files of other tools have no more.
  double minUs = 0, maxUs = 0, medianUs = 0, stddevUs = 0;

  /// The median, or the mean where there is no more.
  [[nodiscard]] double typicalUs() const { return medianUs > 0 ? medianUs : meanUs; }
  bool operator==(const Timing&) const = default;
};

/// A problem with what was measured of it.
struct ShapeResult {
  std::string arguments;  ///< the workload's line, or a line for one of the problems it asks for
  model::Reduction reduction;
  std::map<std::int64_t, Timing> limits;  ///< by limit; only those that were measured
  std::optional<Timing> baseline;         ///< the compiler's own choice, with split reduction on
  std::optional<Timing> noSplit;          ///< split reduction off

  bool operator==(const ShapeResult&) const = default;
};

/// A sweep of limits over a workload.
struct SweepResult {
  std::vector<std::int64_t> limits;   ///< all that were asked for, ascending
  std::vector<ShapeResult> shapes;    ///< in the workload's order
  std::vector<std::string> failures;  ///< "limit 64 of convbfp16 …: why", one a failed trial
  std::int64_t skippedRows = 0;       ///< of files: N.A., short, or not a problem

  bool operator==(const SweepResult&) const = default;
};

}  // namespace hone::split
