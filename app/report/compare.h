#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone compare`: compares the measurements of two runs.
void addCompareCommand(CLI::App& app, Context& context);

}  // namespace hone::app
