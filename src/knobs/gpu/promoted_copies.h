#pragma once

#include <cstdint>
#include <vector>

#include "iree/compile/constraints.h"
#include "model/problem/root_operation.h"
#include "search/space/space.h"

namespace hone::knobs {

/// Returns true if `threads` threads can copy a tile with vectors of 16 bytes so that each loads as
/// many as the others. The last dimension is contiguous. A tile with fewer vectors than threads is
/// copied more than once.
[[nodiscard]] bool canShareCopy(const std::vector<std::int64_t>& tile, std::int64_t elementBytes,
                                std::int64_t threads);

/// Removes the points of VectorDistribute whose tiles in shared memory the compiler cannot
/// distribute over the threads, although its constraints allow them. Other pipelines, and
/// operations other than contractions, are not changed.
[[nodiscard]] search::Space withSharedCopies(search::Space space,
                                             const iree::PipelineConstraints& constraints,
                                             const model::RootOperation& root);

}  // namespace hone::knobs
