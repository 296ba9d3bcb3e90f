#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone verify`, which proves the result of `hone tune -o FOLDER` again.
void addVerifyCommand(CLI::App& app, Context& context);

}  // namespace hone::app
