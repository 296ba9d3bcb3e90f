#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone worker`: what the jobs of a cluster run.
void addWorkerVerb(CLI::App& app, Context& context);

}  // namespace hone::app
