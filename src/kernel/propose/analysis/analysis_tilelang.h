#pragma once

#include <vector>

#include "kernel/propose/analysis/analysis.h"

namespace hone::kernel {

/// Returns the bottlenecks visible in the source of a TileLang kernel: missing shared memory,
/// pipelining, tensor cores or vectors, few threads, small tiles.
[[nodiscard]] std::vector<Finding> tileLangFindings(const Source& source);

}  // namespace hone::kernel
