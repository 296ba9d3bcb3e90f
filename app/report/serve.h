#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone serve`: the pages of all runs in a browser, live.
void addServeVerb(CLI::App& app, Context& context);

}  // namespace hone::app
