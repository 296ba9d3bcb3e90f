#pragma once

#include <vector>

#include "model/result/summary/split_result.h"
#include "report/data/document.h"
#include "report/pages/split/split_shapes.h"

namespace hone::report {

/// Adds plots of the shapes by output and reduction size with the recommended ladders, and the
/// regret of each kind of ladder.
void addLadders(const model::SplitResult& result, const std::vector<SplitShape>& shapes,
                Document& document);

}  // namespace hone::report
