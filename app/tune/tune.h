#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone tune`: searches the knobs of a program's dispatches, writes a tuning spec and
/// verifies the gain on the whole program.
void addTuneCommand(CLI::App& app, Context& context);

}  // namespace hone::app
