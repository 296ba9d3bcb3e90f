#pragma once

#include "app/context.h"

namespace CLI {
class App;
}

namespace hone::app {

void addSplitVerb(CLI::App& app, Context& context);

}  // namespace hone::app
