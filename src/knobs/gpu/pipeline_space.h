#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/constraints.h"
#include "search/constraints/listing.h"

namespace hone::knobs {

/// Lists the points that the compiler's constraints allow for the knobs of one pipeline. `more`
/// names further variables of the constraints, which follow the knobs. `parsed` holds the same
/// constraints.
[[nodiscard]] Result<search::Listing> listPipeline(const iree::PipelineConstraints& constraints,
                                                   const search::Constraints& parsed,
                                                   const std::vector<std::string>& more = {});

/// Returns the indices of the knobs that set a field of the configuration, such as "workgroup[0]".
[[nodiscard]] std::vector<std::size_t> knobsAt(
    const search::Space& space, std::span<const iree::PipelineConstraints> constraints,
    const std::string& place);

}  // namespace hone::knobs
