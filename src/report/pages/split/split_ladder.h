#pragma once

#include <vector>

#include "model/result/summary/split_result.h"
#include "report/data/document.h"
#include "report/pages/split/split_shapes.h"

namespace hone::report {

/// Adds the shapes over output and reduction size with the recommended ladders drawn in, and how
/// far each kind of ladder is from the best.
void addLadders(const model::SplitResult& result, const std::vector<SplitShape>& shapes,
                Document& document);

}  // namespace hone::report
