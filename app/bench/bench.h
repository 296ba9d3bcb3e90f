#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone bench`: measures a program, or compares programs, compiler flags or configs.
void addBenchCommand(CLI::App& app, Context& context);

}  // namespace hone::app
