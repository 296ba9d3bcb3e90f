#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone serve`: serves live pages of all runs to a browser.
void addServeCommand(CLI::App& app, Context& context);

}  // namespace hone::app
