#pragma once

#include <vector>

#include "report/data/document.h"
#include "report/pages/split/split_shapes.h"

namespace hone::report {

/// Adds the runtime over the limit per problem, and a heat map of problem × limit.
void addSweep(const std::vector<SplitShape>& shapes, Document& document);

}  // namespace hone::report
