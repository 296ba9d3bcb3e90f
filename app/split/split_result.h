#pragma once

#include "app/split/split_report.h"
#include "model/result/summary/split_result.h"

namespace hone::app {

/// What a run of `hone split` keeps, and prints with --json.
[[nodiscard]] model::SplitResult resultOf(const SplitOutcome& outcome);

}  // namespace hone::app
