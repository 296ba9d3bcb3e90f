#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone profile`: generates, compiles, verifies and measures dispatches.
void addProfileCommand(CLI::App& app, Context& context);

}  // namespace hone::app
