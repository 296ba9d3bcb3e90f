#pragma once

#include "app/split/split_report.h"
#include "model/result/summary/split_result.h"

namespace hone::app {

/// Converts the outcome to the result to store and to print with --json.
[[nodiscard]] model::SplitResult toResult(const SplitOutcome& outcome);

}  // namespace hone::app
