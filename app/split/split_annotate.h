#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone split annotate`: the winners of a sweep on the operations of a program.
void addSplitAnnotate(CLI::App& split, Context& context);

}  // namespace hone::app
