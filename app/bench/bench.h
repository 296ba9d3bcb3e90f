#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone bench`: measures a program, or two against each other, or many configs of one.
void addBenchVerb(CLI::App& app, Context& context);

}  // namespace hone::app
