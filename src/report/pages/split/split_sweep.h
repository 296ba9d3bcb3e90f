#pragma once

#include <vector>

#include "report/data/document.h"
#include "report/pages/split/split_shapes.h"

namespace hone::report {

/// Adds runtime over limit for each problem, and the map problem × limit.
void addSweep(const std::vector<SplitShape>& shapes, Document& document);

}  // namespace hone::report
