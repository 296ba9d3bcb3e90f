#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone doctor`: each thing that hone needs, found or not, and the command that mends it.
void addDoctorVerb(CLI::App& app, Context& context);

}  // namespace hone::app
