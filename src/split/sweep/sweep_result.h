#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result/summary/split_shape.h"

namespace hone::split {

using model::ShapeResult;
using model::Timing;

/// A sweep of limits over a workload.
struct SweepResult {
  std::vector<std::int64_t> limits;   ///< all that were asked for, ascending
  std::vector<ShapeResult> shapes;    ///< in the workload's order
  std::vector<std::string> failures;  ///< "limit 64 of convbfp16 …: why", one a failed trial
  std::int64_t skippedRows = 0;       ///< of files: N.A., short, or not a problem

  bool operator==(const SweepResult&) const = default;
};

}  // namespace hone::split
