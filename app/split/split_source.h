#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone split apply`: writes heuristics as a patch of a user's SetSplitReductionSizes.cpp.
void addSplitApply(CLI::App& split, Context& context);

}  // namespace hone::app
