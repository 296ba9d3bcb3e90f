#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone compare`: two runs, thing by thing.
void addCompareVerb(CLI::App& app, Context& context);

}  // namespace hone::app
