#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone compile`: what `hone generate` wrote, as modules beside it.
void addCompileVerb(CLI::App& app, Context& context);

}  // namespace hone::app
