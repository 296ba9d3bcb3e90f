#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone compile`: compiles generated operations to modules beside their MLIR files.
void addCompileCommand(CLI::App& app, Context& context);

}  // namespace hone::app
