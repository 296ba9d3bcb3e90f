#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone spec`: shows, checks, merges, applies and upgrades tuning specs.
void addSpecCommand(CLI::App& app, Context& context);

}  // namespace hone::app
