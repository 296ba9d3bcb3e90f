#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone workload`: shows, shortens or splits a workload file.
void addWorkloadCommand(CLI::App& app, Context& context);

}  // namespace hone::app
