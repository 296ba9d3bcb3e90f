#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone split apply`: derived heuristics as a patch for a user's SetSplitReductionSizes.cpp.
void addSplitApply(CLI::App& split, Context& context);

}  // namespace hone::app
