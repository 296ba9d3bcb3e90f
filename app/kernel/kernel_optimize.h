#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone kernel optimize`: one kernel, or all slow ones, made faster turn by turn.
void addKernelOptimizeVerb(CLI::App& kernel, Context& context);

}  // namespace hone::app
