#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "split/source/source_rule.h"
#include "split/source/text_edit.h"

namespace hone::split {

/// Adds the edits that make the source decide like the heuristic for sizes in its measured range.
/// For other sizes, and for targets with low parallelism, the source's own code decides. The edits
/// declare `isMeasured`, so the source must not have it; see makeRemoval.
[[nodiscard]] Result<void> addHeuristic(const SourceRule& rule, const Heuristic& heuristic,
                                        std::vector<Edit>& edits);

/// Returns the edits that remove earlier edits of addHeuristic for both kinds.
[[nodiscard]] Result<std::vector<Edit>> makeRemoval(const Source& source);

/// Runs both sources for many operations. Returns an internal error if the edited one does not
/// decide like the heuristic within its range or differs from the original elsewhere.
[[nodiscard]] Result<void> checkHeuristic(const SourceRule& original, const SourceRule& changed,
                                          const Heuristic& heuristic);

}  // namespace hone::split
