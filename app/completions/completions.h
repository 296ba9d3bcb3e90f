#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone completions`: a script by which a shell completes hone's commands.
void addCompletionsVerb(CLI::App& app, Context& context);

/// `hone man`: the manual page. Both are made of what `--help` shows.
void addManVerb(CLI::App& app, Context& context);

}  // namespace hone::app
