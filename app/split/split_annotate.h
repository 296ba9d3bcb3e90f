#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone split annotate`: annotates a program's operations with the best splits of a sweep.
void addSplitAnnotate(CLI::App& split, Context& context);

}  // namespace hone::app
