#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone tune`: the knobs of a program's dispatches searched, a tuning spec written, the gain
/// proven.
void addTuneVerb(CLI::App& app, Context& context);

}  // namespace hone::app
