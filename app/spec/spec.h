#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone spec`: shows a tuning spec, checks it on a program, merges two, compiles with one.
void addSpecVerb(CLI::App& app, Context& context);

}  // namespace hone::app
