#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result/summary/split_shape.h"

namespace hone::split {

using model::ShapeResult;
using model::Timing;

/// Results of a sweep of limits over a workload.
struct SweepResult {
  std::vector<std::int64_t> limits;   ///< all requested limits, ascending
  std::vector<ShapeResult> shapes;    ///< in the order of the workload
  std::vector<std::string> failures;  ///< "limit 64 of convbfp16 …: reason", one per failed trial
  std::int64_t skippedRows = 0;       ///< rows of files: N.A., incomplete, or not a problem

  bool operator==(const SweepResult&) const = default;
};

}  // namespace hone::split
