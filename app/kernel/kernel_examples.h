#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone kernel examples`: lists and searches the library of techniques.
void addKernelExamplesCommand(CLI::App& kernel, Context& context);

}  // namespace hone::app
