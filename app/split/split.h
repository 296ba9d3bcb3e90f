#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

void addSplitCommand(CLI::App& app, Context& context);

}  // namespace hone::app
