#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone split merge`: one ladder from the results of several devices.
void addSplitMerge(CLI::App& split, Context& context);

}  // namespace hone::app
