#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone kernel optimize`: optimizes one kernel, or all slow ones, turn by turn.
void addKernelOptimizeCommand(CLI::App& kernel, Context& context);

}  // namespace hone::app
