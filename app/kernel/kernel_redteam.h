#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone kernel redteam`: runs the shipped exploits against the judge of this machine.
void addKernelRedTeamCommand(CLI::App& kernel, Context& context);

}  // namespace hone::app
