#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone doctor`: checks the dependencies of hone and suggests fixes.
void addDoctorCommand(CLI::App& app, Context& context);

}  // namespace hone::app
