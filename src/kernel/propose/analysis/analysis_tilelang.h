#pragma once

#include <vector>

#include "kernel/propose/analysis/analysis.h"

namespace hone::kernel {

/// Returns what the text of a TileLang kernel shows: shared memory, pipelining, threads, vectors,
/// tiles.
[[nodiscard]] std::vector<Finding> tileLangFindings(const Source& source);

}  // namespace hone::kernel
