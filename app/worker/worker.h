#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone worker`: performs units of a cluster run. Started by Slurm jobs.
void addWorkerCommand(CLI::App& app, Context& context);

}  // namespace hone::app
