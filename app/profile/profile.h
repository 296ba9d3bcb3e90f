#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone profile`: dispatches generated, compiled, verified and measured.
void addProfileVerb(CLI::App& app, Context& context);

}  // namespace hone::app
